import type { InputRequiredInit } from '../../client-requests/input-required.js'
import { usedNotesOf } from '../../context/call-notes.js'
import type { Cancellation } from '../../context/cancellation.js'
import { McpContext } from '../../context/mcp-context.js'
import { openProgress, plainMeta } from '../../context/progress.js'
import { type JsonObject, plainId, type RpcNotification, type RpcRequest } from '../../rpc/messages.js'
import { capabilitiesOf } from '../capabilities.js'
import type { ProtocolDependencies } from '../dependencies.js'
import { encodeIdentity } from '../encode-definitions.js'
import type { Call, Era, Method, Methods } from '../era.js'
import { clientRequestMethods, type Exchange } from '../exchange.js'
import { createFeatureMethods } from '../methods/feature-methods.js'
import { unknownMethod } from '../methods/list-formats.js'
import type { CompleteResult, ResultWriter } from '../methods/result-writer.js'
import { modernVersions, type Revision, revisions } from '../revisions.js'
import { ModernClientRequester } from './client-requests.js'
import { Extensions } from './extensions.js'
import { createListenMethod } from './listen.js'
import { checkGivenHeaders, checkStandardHeaders, checkToolHeaders } from './request-headers.js'
import { findModernRevision, readRequestMeta } from './request-meta.js'
import { RequestStates } from './request-state.js'
import { createSkillMethods } from './skill-methods.js'
import { createCallAsTask } from './tasks/call-as-task.js'
import { encodeTask } from './tasks/encode-task.js'
import { createTaskMethods } from './tasks/task-methods.js'

/** 2026-07-28: every request stands alone and says what it needs said. */
export function createModernEra(dependencies: ProtocolDependencies): Era {
  const tables = new Map(
    revisions
      .filter(({ era }) => era === 'modern')
      .map((revision) => [revision, createMethods(dependencies, revision)]),
  )
  const states = new RequestStates(dependencies.requestState)
  return {
    openCall: (request, exchange, cancellation) => openCall(request, exchange, cancellation, dependencies),
    openClientRequester: ({ request, revision, context }) => {
      const { principal, clientCapabilities } = context
      const notes = () => usedNotesOf(context)
      const log = () => context.log
      return new ModernClientRequester({ request, principal, clientCapabilities, revision, states, notes, log })
    },
    requireInput: ({ init }, { revision }) => encodeInputRequired(init, dependencies, revision),
    findMethod: (name, revision) => tables.get(revision)?.get(name),
    unknownMethod: (name) => unknownMethod(name, dependencies.listFormats),
    receiveNotification,
    statusOf: (error) => error.status,
  }
}

function createMethods(dependencies: ProtocolDependencies, revision: Revision): ReadonlyMap<string, Method> {
  const completeResult = completeResults(dependencies, revision)
  const { ttlMs, cacheScope } = dependencies.cache
  const cacheHints = `,"ttlMs":${ttlMs},"cacheScope":"${cacheScope}"`
  const privateHints = `,"ttlMs":${ttlMs},"cacheScope":"private"`
  const extensions = new Extensions(dependencies.catalog)
  const taskResult = completeResults(dependencies, revision, 'task')
  const callAsTask = createCallAsTask(dependencies.tasks, (task) => taskResult(encodeTask(task), null))
  const writer: ResultWriter = { dependencies, revision, completeResult, cacheHints, privateHints, callAsTask }
  const discover: Method = ({ context: { principal } }) => {
    const { catalog, instructions } = dependencies
    const capabilities = {
      ...capabilitiesOf(catalog, principal, revision, dependencies.notifyChanges),
      ...extensions.capabilityFor(principal),
    }
    const scope = catalog.isGuarded ? 'private' : cacheScope
    const discovered = { supportedVersions: modernVersions, capabilities, instructions, ttlMs, cacheScope: scope }
    return completeResult(JSON.stringify(discovered).slice(1, -1), null)
  }
  const methods: Methods = {
    'server/discover': discover,
    'subscriptions/listen': createListenMethod(dependencies, completeResult),
    ...createTaskMethods(dependencies.tasks, extensions.tasks, completeResult),
    ...createSkillMethods(writer),
    ...createFeatureMethods(writer),
  }
  return new Map(Object.entries(methods))
}

const serverInfoKey = 'io.modelcontextprotocol/serverInfo'

/** Every result says that it is one, and who it is from. Spec: basic, "Results" and "_meta". */
function completeResults(
  dependencies: ProtocolDependencies,
  revision: Revision,
  resultType = 'complete',
): CompleteResult {
  const meta = metaOf(dependencies, revision)
  const metaMember = `,"_meta":${JSON.stringify(meta)}}`
  return (members, own) => {
    const end = own === null ? metaMember : `,"_meta":${JSON.stringify({ ...own, ...meta })}}`
    return `{"resultType":"${resultType}"${members === '' ? '' : `,${members}`}${end}`
  }
}

/** What the client is to find out before it calls again. Spec: basic/mrtr, "Input Required Result". */
function encodeInputRequired(init: InputRequiredInit, dependencies: ProtocolDependencies, revision: Revision): string {
  return JSON.stringify({ resultType: 'input_required', ...init, _meta: metaOf(dependencies, revision) })
}

function metaOf({ identity }: ProtocolDependencies, revision: Revision): JsonObject {
  return { [serverInfoKey]: encodeIdentity(identity, revision) }
}

/** The order of the checks is that of the official SDK: clients tell servers apart by which error comes first. */
function openCall(
  request: RpcRequest,
  exchange: Exchange,
  cancellation: Cancellation,
  dependencies: ProtocolDependencies,
): Call {
  const meta = readRequestMeta(request.params)
  const { headers } = exchange
  if (headers !== null) checkGivenHeaders(request, meta.protocolVersion, headers)
  const revision = findModernRevision(meta.protocolVersion)
  if (headers !== null) {
    checkStandardHeaders(request, headers)
    if (request.method === 'tools/call') checkToolHeaders(request.params, exchange, dependencies.catalog)
  }
  exchange.cancelOnDisconnect(cancellation)
  const { params } = request
  const bringsAnswers = params['requestState'] !== undefined || params['inputResponses'] !== undefined
  const context = new McpContext({
    requestId: plainId(request.id),
    method: request.method,
    protocolVersion: revision.version,
    clientInfo: meta.clientInfo,
    clientCapabilities: meta.clientCapabilities,
    principal: exchange.principal,
    headers: exchange.contextHeaders,
    meta: plainMeta(meta.all),
    cancellation,
    progress: openProgress(meta.all, revision.progressMessages, exchange),
    logLevel: meta.logLevel,
    client: exchange,
    log: exchange.log,
    changes: dependencies.changes,
    isRetry: bringsAnswers && clientRequestMethods.has(request.method),
  })
  const { peer } = exchange
  return { request, exchange, peer, revision, context, cancellation, exposeErrors: dependencies.exposeErrors }
}

/** Over HTTP nothing is defined for it: a client cancels by closing. On a connection it cancels a request. */
function receiveNotification({ method, params }: RpcNotification, { peer }: Exchange): void | Promise<void> {
  return method === 'notifications/cancelled' ? peer?.cancel(params['requestId']) : undefined
}
