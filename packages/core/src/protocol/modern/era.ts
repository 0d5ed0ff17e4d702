import type { InputRequiredInit } from '../../client-requests/input-required.js'
import type { JsonObject, RpcNotification } from '../../rpc/messages.js'
import { capabilitiesOf } from '../capabilities.js'
import { clientRequestMethods } from '../client-requests/call-client.js'
import type { ProtocolDependencies } from '../dependencies.js'
import { encodeIdentity } from '../encode/encode-definitions.js'
import { answering, type Era, type Methods } from '../era.js'
import type { Exchange } from '../exchange.js'
import { createFeatureMethods } from '../methods/feature-methods.js'
import { createMethodTable, type FindMethod } from '../methods/method-table.js'
import type { CompleteResult, ResultWriter } from '../methods/result-writer.js'
import type { RequestFacts } from '../request-call.js'
import type { Revision } from '../revisions.js'
import { ModernClientRequester } from './client-requests.js'
import { createListenMethod } from './listen.js'
import {
  checkStandardHeaders,
  checkToolHeaders,
  checkVersionAndMethod,
  readRequestMeta,
  repeatsBody,
  unsupportedVersion,
} from './read-request.js'
import { RequestStates } from './request-state.js'

/** Creates the era of revision 2026-07-28 and later revisions. Requests are stateless, and carry all their metadata. */
export function createModernEra(dependencies: ProtocolDependencies): Era {
  const states = new RequestStates(dependencies.requestState)
  const findMethod = createMethodTable('modern', dependencies, createMethods)
  return {
    name: 'modern',
    changes: dependencies.changes,
    exposeErrors: dependencies.exposeErrors,
    read: createReader(dependencies, findMethod),
    openClientRequester: (call) => new ModernClientRequester(call, states, dependencies.rounds),
    requireInput: ({ init }, call) => call.respond(encodeInputRequired(init, dependencies, call.revision)),
    receiveNotification,
    statusOf: (error) => error.status,
  }
}

function createMethods(dependencies: ProtocolDependencies, revision: Revision): Methods {
  const completeAs = (resultType: string): CompleteResult => completeResults(dependencies, revision, resultType)
  const completeResult = completeAs('complete')
  const { ttlMs, cacheScope } = dependencies.cache
  const cacheHints = `,"ttlMs":${ttlMs},"cacheScope":"${cacheScope}"`
  const privateHints = `,"ttlMs":${ttlMs},"cacheScope":"private"`
  const writer: ResultWriter = { dependencies, revision, completeResult, completeAs, cacheHints, privateHints }
  const discover = answering(({ context }) => {
    const { catalog, instructions, revisions } = dependencies
    const capabilities = capabilitiesOf(dependencies, context, revision, dependencies.notifyChanges)
    const scope = catalog.dependsOnCaller ? 'private' : cacheScope
    const discovered = { supportedVersions: revisions.modern, capabilities, instructions, ttlMs, cacheScope: scope }
    return completeResult(JSON.stringify(discovered).slice(1, -1), null)
  })
  return {
    'server/discover': discover,
    'subscriptions/listen': createListenMethod(dependencies, completeResult),
    ...createFeatureMethods(writer),
    ...dependencies.extensions.createMethods(writer),
  }
}

const serverInfoKey = 'io.modelcontextprotocol/serverInfo'

/** Adds the members of every result: the type of the result and the server's identity. Spec: basic, "Results" and "_meta". */
function completeResults(dependencies: ProtocolDependencies, revision: Revision, resultType: string): CompleteResult {
  const meta = metaOf(dependencies, revision)
  const metaMember = `,"_meta":${JSON.stringify(meta)}}`
  return (members, own) => {
    const end = own === null ? metaMember : `,"_meta":${JSON.stringify({ ...own, ...meta })}}`
    return `{"resultType":"${resultType}"${members === '' ? '' : `,${members}`}${end}`
  }
}

/** Encodes a result that asks the client for input. Spec: basic/mrtr, "Input Required Result". */
function encodeInputRequired(init: InputRequiredInit, dependencies: ProtocolDependencies, revision: Revision): string {
  return JSON.stringify({ resultType: 'input_required', ...init, _meta: metaOf(dependencies, revision) })
}

function metaOf({ identity }: ProtocolDependencies, revision: Revision): JsonObject {
  return { [serverInfoKey]: encodeIdentity(identity, revision) }
}

/**
 * Validates requests. The checks have the same order as in the official SDK, because clients detect the era of a server by its
 * first error.
 */
function createReader(dependencies: ProtocolDependencies, findMethod: FindMethod): Era['read'] {
  const { revisions } = dependencies
  return function read(request, { headers, sender, peer }): RequestFacts {
    const { method, params } = request
    const meta = readRequestMeta(params)
    const isRepeated = headers === null || repeatsBody(request, meta.protocolVersion, headers)
    if (!isRepeated) checkVersionAndMethod(request, meta.protocolVersion, headers)
    const revision = revisions.find('modern', meta.protocolVersion)
    if (revision === undefined) throw unsupportedVersion(meta.protocolVersion, revisions)
    if (!isRepeated) checkStandardHeaders(request, headers)
    if (headers !== null && method === 'tools/call') {
      const { principal, transport } = sender
      checkToolHeaders(params, { principal, transport, headers, meta: meta.all }, dependencies)
    }
    const bringsAnswers = params['requestState'] !== undefined || params['inputResponses'] !== undefined
    const isRetry = bringsAnswers && clientRequestMethods.has(method)
    return { revision, peer, meta, isRetry, serve: findMethod(method, revision) }
  }
}

/** Handles cancellations on connections. Over HTTP, a client cancels by closing the connection. */
async function receiveNotification({ method, params }: RpcNotification, { peer }: Exchange): Promise<void> {
  if (method === 'notifications/cancelled') await peer?.cancel(params['requestId'])
}
