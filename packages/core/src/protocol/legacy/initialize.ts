import { readOptionalObject, readString } from '../../call/steps.js'
import type { Principal } from '../../context/principal.js'
import { ProtocolError } from '../../errors/protocol-error.js'
import { type JsonObject, withoutNulls } from '../../rpc/messages.js'
import { capabilitiesOf } from '../capabilities.js'
import { readClientInfo } from '../client-info.js'
import type { ProtocolDependencies } from '../dependencies.js'
import { encodeIdentity } from '../encode-definitions.js'
import type { Exchange } from '../exchange.js'
import type { Handshake, Peer } from '../peer.js'
import { type OfferedRevisions, requireLegacy } from '../revisions.js'
import { notifyChanges } from './notify-changes.js'

/** Maximum number of characters of a client's capabilities as JSON, which are stored as long as the session. */
const maxCapabilitiesLength = 2048

/** Capabilities that the server uses. Other capabilities are not stored. */
const knownCapabilities = ['roots', 'sampling', 'elicitation', 'extensions'] as const

/** Negotiates a revision, and stores it for the connection or in a new session. Spec: lifecycle, "Initialization". */
export async function initialize(
  params: JsonObject,
  exchange: Exchange,
  dependencies: ProtocolDependencies,
): Promise<string> {
  const handshake = readHandshake(params, dependencies.revisions)
  const { revision } = handshake
  const { peer, principal, sessions } = exchange
  if (peer !== null) rememberFor(peer, handshake, principal, dependencies)
  else if (sessions !== null) exchange.newSessionId = await sessions.open(handshake, exchange)
  const isRemembered = peer !== null || sessions !== null
  return JSON.stringify({
    protocolVersion: revision.version,
    capabilities: capabilitiesOf(dependencies, exchange, revision, isRemembered && dependencies.notifyChanges),
    serverInfo: encodeIdentity(dependencies.identity, revision),
    instructions: dependencies.instructions,
  })
}

function rememberFor(
  peer: Peer,
  handshake: Handshake,
  principal: Principal | null,
  dependencies: ProtocolDependencies,
): void {
  if (peer.state.handshake === null) notifyChanges(peer, dependencies)
  peer.principal = principal
  // The promise is not awaited: the state of a connection is only on this node, and changes immediately.
  void peer.remember((state) => ({ ...state, handshake, rootsChanges: state.rootsChanges + 1 }))
}

function readHandshake(params: JsonObject, revisions: OfferedRevisions): Handshake {
  const protocolVersion = readString(params, 'protocolVersion')
  const clientCapabilities = readCapabilities(readOptionalObject(params, 'capabilities'))
  const clientInfo = readClientInfo(params['clientInfo'])
  // An unknown version is no error: the answer names the newest legacy version.
  const revision = revisions.find('legacy', protocolVersion) ?? requireLegacy(revisions)
  return { revision, clientInfo, clientCapabilities }
}

function readCapabilities(declared: JsonObject): JsonObject {
  const given = withoutNulls(declared)
  const known = knownCapabilities.filter((name) => Object.hasOwn(given, name)).map((name) => [name, given[name]])
  const capabilities = Object.fromEntries(known) as JsonObject
  if (JSON.stringify(capabilities).length <= maxCapabilitiesLength) return capabilities
  const message = `Invalid params: "capabilities" must have at most ${maxCapabilitiesLength} characters`
  throw new ProtocolError('invalidParams', message)
}
