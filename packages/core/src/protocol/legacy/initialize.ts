import { type Principal, principalKey } from '../../context/principal.js'
import { ProtocolError } from '../../errors/protocol-error.js'
import { type JsonObject, readOptionalObject, readString, withoutNulls } from '../../rpc/messages.js'
import { capabilitiesOf } from '../capabilities.js'
import { readClientInfo } from '../client-info.js'
import type { ProtocolDependencies } from '../dependencies.js'
import { encodeIdentity } from '../encode/encode-definitions.js'
import type { Handshake, Peer } from '../peer.js'
import type { RequestCall } from '../request-call.js'
import { type OfferedRevisions, requireLegacy } from '../revisions.js'
import { digestLists } from './notify-changed-lists.js'
import { notifyChanges } from './notify-changes.js'
import { encodeState } from './stored-session.js'

/** Maximum number of characters of a client's capabilities as JSON, which are stored as long as the session. */
const maxCapabilitiesLength = 2048

/** Capabilities that the server uses. Other capabilities are not stored. */
const knownCapabilities = ['roots', 'sampling', 'elicitation', 'extensions'] as const

/** Negotiates a revision, and stores it for the connection or in a new session. Spec: lifecycle, "Initialization". */
export async function initialize(call: RequestCall, dependencies: ProtocolDependencies): Promise<string> {
  const { request, exchange, peer, caller } = call
  const { sender, hooks } = exchange
  const handshake = readHandshake(request.params, dependencies.revisions)
  const { revision } = handshake
  const sessions = peer === null && hooks?.opensSessions === true ? dependencies.sessions : null
  if (peer !== null) rememberFor(peer, handshake, sender.principal, dependencies)
  else if (sessions !== null) {
    const lists = digestLists(dependencies.catalog, sender)
    const owner = principalKey(sender.principal)
    call.newSessionId = await sessions.open({ owner, caller, lists, ...encodeState(handshake) })
  }
  const isRemembered = peer !== null || sessions !== null
  return JSON.stringify({
    protocolVersion: revision.version,
    capabilities: capabilitiesOf(dependencies, sender, revision, isRemembered && dependencies.notifyChanges),
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
