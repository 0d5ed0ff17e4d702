import type { InputRequiredInit } from '../../asking/input-required.js'
import { usedNotesOf } from '../../context/call-notes.js'
import type { Cancellation } from '../../context/cancellation.js'
import { McpContext } from '../../context/mcp-context.js'
import { openProgress, plainMeta } from '../../context/progress.js'
import { type JsonObject, plainId, type RpcNotification, type RpcRequest } from '../../rpc/messages.js'
import { capabilitiesOf } from '../capabilities.js'
import { encodeIdentity } from '../encode-definitions.js'
import type { Call, Era, Method, Methods } from '../era.js'
import { askingMethods, type Exchange } from '../exchange.js'
import { createFeatureMethods } from '../methods/feature-methods.js'
import { unknownMethod } from '../methods/list-formats.js'
import type { CompleteResult, Wire } from '../methods/wire.js'
import { modernVersions, type Revision, revisions } from '../revisions.js'
import type { Served } from '../served.js'
import { Extensions } from './extensions.js'
import { createListenMethod } from './listen.js'
import { ModernAsker } from './modern-asker.js'
import { checkGivenHeaders, checkStandardHeaders, checkToolHeaders } from './request-headers.js'
import { findModernRevision, readRequestMeta } from './request-meta.js'
import { RequestStates } from './request-state.js'
import { createSkillMethods } from './skill-methods.js'
import { createCallAsTask } from './tasks/call-as-task.js'
import { encodeTask } from './tasks/encode-task.js'
import { createTaskMethods } from './tasks/task-methods.js'

/** 2026-07-28: every request stands alone and says what it needs said. */
export function createModernEra(served: Served): Era {
  const tables = new Map(
    revisions.filter(({ era }) => era === 'modern').map((revision) => [revision, createMethods(served, revision)]),
  )
  const states = new RequestStates(served.requestState)
  return {
    openCall: (request, exchange, cancellation) => openCall(request, exchange, cancellation, served),
    openAsker: ({ request, revision, context }) => {
      const { principal, clientCapabilities } = context
      const notes = () => usedNotesOf(context)
      const log = () => context.log
      return new ModernAsker({ request, principal, clientCapabilities, revision, states, notes, log })
    },
    requireInput: ({ init }, { revision }) => encodeInputRequired(init, served, revision),
    findMethod: (name, revision) => tables.get(revision)?.get(name),
    unknownMethod: (name) => unknownMethod(name, served.listFormats),
    receiveNotification,
    statusOf: (error) => error.status,
  }
}

function createMethods(served: Served, revision: Revision): ReadonlyMap<string, Method> {
  const completeResult = completeResults(served, revision)
  const { ttlMs, cacheScope } = served.cache
  const cacheHints = `,"ttlMs":${ttlMs},"cacheScope":"${cacheScope}"`
  const privateHints = `,"ttlMs":${ttlMs},"cacheScope":"private"`
  const extensions = new Extensions(served.catalog)
  const taskResult = completeResults(served, revision, 'task')
  const callAsTask = createCallAsTask(served.tasks, (task) => taskResult(encodeTask(task), null))
  const wire: Wire = { served, revision, completeResult, cacheHints, privateHints, callAsTask }
  const discover: Method = ({ context: { principal } }) => {
    const { catalog, instructions } = served
    const capabilities = {
      ...capabilitiesOf(catalog, principal, revision, served.notifyChanges),
      ...extensions.capabilityFor(principal),
    }
    const scope = catalog.isGuarded ? 'private' : cacheScope
    const discovered = { supportedVersions: modernVersions, capabilities, instructions, ttlMs, cacheScope: scope }
    return completeResult(JSON.stringify(discovered).slice(1, -1), null)
  }
  const methods: Methods = {
    'server/discover': discover,
    'subscriptions/listen': createListenMethod(served, completeResult),
    ...createTaskMethods(served.tasks, extensions.tasks, completeResult),
    ...createSkillMethods(wire),
    ...createFeatureMethods(wire),
  }
  return new Map(Object.entries(methods))
}

const serverInfoKey = 'io.modelcontextprotocol/serverInfo'

/** Every result says that it is one, and who it is from. Spec: basic, "Results" and "_meta". */
function completeResults(served: Served, revision: Revision, resultType = 'complete'): CompleteResult {
  const meta = metaOf(served, revision)
  const metaMember = `,"_meta":${JSON.stringify(meta)}}`
  return (members, own) => {
    const end = own === null ? metaMember : `,"_meta":${JSON.stringify({ ...own, ...meta })}}`
    return `{"resultType":"${resultType}"${members === '' ? '' : `,${members}`}${end}`
  }
}

/** What the client is to find out before it calls again. Spec: basic/mrtr, "Input Required Result". */
function encodeInputRequired(init: InputRequiredInit, served: Served, revision: Revision): string {
  return JSON.stringify({ resultType: 'input_required', ...init, _meta: metaOf(served, revision) })
}

function metaOf({ identity }: Served, revision: Revision): JsonObject {
  return { [serverInfoKey]: encodeIdentity(identity, revision) }
}

/** The order of the checks is that of the official SDK: clients tell servers apart by which error comes first. */
function openCall(request: RpcRequest, exchange: Exchange, cancellation: Cancellation, served: Served): Call {
  const meta = readRequestMeta(request.params)
  const { headers } = exchange
  if (headers !== null) checkGivenHeaders(request, meta.protocolVersion, headers)
  const revision = findModernRevision(meta.protocolVersion)
  if (headers !== null) {
    checkStandardHeaders(request, headers)
    if (request.method === 'tools/call') checkToolHeaders(request.params, exchange, served.catalog)
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
    changes: served.changes,
    isRetry: bringsAnswers && askingMethods.has(request.method),
  })
  const { peer } = exchange
  return { request, exchange, peer, revision, context, cancellation, exposeErrors: served.exposeErrors }
}

/** Over HTTP nothing is defined for it: a client cancels by closing. On a connection it cancels a request. */
function receiveNotification({ method, params }: RpcNotification, { peer }: Exchange): void | Promise<void> {
  return method === 'notifications/cancelled' ? peer?.cancel(params['requestId']) : undefined
}
