import { maySubscribe } from '../../call/authorize-subscription.js'
import { readObject } from '../../call/steps.js'
import type { Change } from '../../context/changes.js'
import { whenExpired } from '../../context/when-expired.js'
import { ProtocolError } from '../../errors/protocol-error.js'
import { type ExactId, isJsonObject, type JsonObject, notification, plainId } from '../../rpc/messages.js'
import { seesResources } from '../capabilities.js'
import type { ProtocolDependencies } from '../dependencies.js'
import { answering, type Method } from '../era.js'
import { readTaskIds, taskNotification, watchTasks } from '../extensions/tasks/watch-tasks.js'
import type { CompleteResult } from '../methods/result-writer.js'
import type { RequestCall } from '../request-call.js'
import { asSubscribed, learnSpellings, readSubscribedUris } from '../subscribed-uris.js'
import { changeNotification, changesOf, changesOfLists, mayHear } from '../visible-changes.js'

/** What a client wants to hear of. Spec: basic/subscriptions. */
interface Filter {
  readonly toolsListChanged?: true
  readonly promptsListChanged?: true
  readonly resourcesListChanged?: true
  readonly resourceSubscriptions?: readonly string[]
  readonly taskIds?: readonly string[]
}

const subscriptionIdKey = 'io.modelcontextprotocol/subscriptionId'

/** `subscriptions/listen`: a request whose answer comes when it ends, and notifications until then. */
export function createListenMethod(dependencies: ProtocolDependencies, completeResult: CompleteResult): Method {
  const { subscriptions } = dependencies
  return answering(async (call) => {
    if (!call.exchange.canNotify) throw new ProtocolError('notAcceptable', 'Not Acceptable: accept text/event-stream')
    checkKept(call.exchange.message)
    const filter = readFilter(call, dependencies)
    const ended = subscriptions.begin(call)
    // Before anything is awaited: the server may close meanwhile.
    const ending = new Promise<void>((resolve) => call.exchange.whenClosing(resolve))
    const stopWaiting = whenExpired(call.context.principal, () => call.exchange.closing())
    try {
      const taskIds = await readTasks(call, dependencies)
      const uris = await readableUris(filter.resourceSubscriptions ?? [], call, dependencies)
      const honoured = taskIds.length > 0 ? { ...filter, taskIds } : filter
      const stop = listen(call, honoured, uris, dependencies)
      // It would be open in vain, and hold a place.
      if (Object.keys(honoured).length === 0) call.exchange.closing()
      await call.cancellation.race(ending, Number.POSITIVE_INFINITY).finally(stop)
      const { id } = call.request
      return withExactTag(completeResult('', tag(id)), id)
    } finally {
      stopWaiting()
      ended()
    }
  })
}

/** Acknowledges, and tells from then on. @returns Ends it. */
function listen(
  call: RequestCall,
  filter: Filter,
  uris: ReadonlySet<string>,
  dependencies: ProtocolDependencies,
): () => void {
  const { request, exchange } = call
  const { changeBus, tasks } = dependencies
  const _meta = tag(request.id)
  const send = (json: string): void => exchange.notify(withExactTag(json, request.id))
  // First of all: nothing may come before it.
  send(notification('notifications/subscriptions/acknowledged', { _meta, notifications: filter }))
  const tell = (change: Change): void => {
    const heard = wants(filter, change) ? asSubscribed(change, uris) : []
    if (heard.length === 0 || !mayHear(change, exchange.principal, dependencies)) return
    for (const each of heard) send(changeNotification(each, _meta))
  }
  const unsubscribe = changeBus.subscribe(tell, () => {
    for (const change of [...changesOfLists, ...changesOf(uris)]) tell(change)
  })
  const unwatch = watchTasks(filter.taskIds ?? [], call, tasks, (members) => {
    send(taskNotification(members, _meta))
  })
  return () => {
    unsubscribe()
    unwatch()
  }
}

function tag(id: ExactId): JsonObject {
  return { [subscriptionIdKey]: plainId(id) }
}

/** A long id was text for `JSON.stringify`, and goes out as it came. */
function withExactTag(json: string, id: ExactId): string {
  return typeof id === 'bigint'
    ? json.replaceAll(`"${subscriptionIdKey}":"${id}"`, `"${subscriptionIdKey}":${id}`)
    : json
}

function wants(filter: Filter, change: Change): boolean {
  return change.kind === 'resource' || filter[`${change.kind}ListChanged`] === true
}

/** Those of which a caller may be told. What is hidden from it looks the same as what is not there. */
async function readableUris(
  uris: readonly string[],
  call: RequestCall,
  { plans }: ProtocolDependencies,
): Promise<ReadonlySet<string>> {
  const isReadable = await Promise.all(uris.map((uri) => maySubscribe(plans, uri, call)))
  const readable = new Set(uris.filter((_, index) => isReadable[index]))
  learnSpellings(readable)
  return readable
}

async function readTasks(
  call: RequestCall,
  { tasks, notifyChanges }: ProtocolDependencies,
): Promise<readonly string[]> {
  const { notifications } = call.request.params
  const asked = isJsonObject(notifications) ? (notifications['taskIds'] ?? undefined) : undefined
  return asked === undefined || !notifyChanges ? [] : readTaskIds(asked, call, tasks)
}

/** What is asked for, as far as it can happen: a server without prompts promises nothing about prompts. */
function readFilter(
  { request, context: { principal } }: RequestCall,
  { catalog, notifyChanges }: ProtocolDependencies,
): Filter {
  const asked = readObject(request.params, 'notifications')
  if (!notifyChanges) return {}
  const hasResources = seesResources(catalog, principal)
  const uris = readSubscribedUris(asked['resourceSubscriptions'] ?? undefined)
  return {
    ...(asked['toolsListChanged'] === true ? { toolsListChanged: true } : {}),
    ...(asked['promptsListChanged'] === true && catalog.prompts.isUsedBy(principal)
      ? { promptsListChanged: true }
      : {}),
    ...(asked['resourcesListChanged'] === true && hasResources ? { resourcesListChanged: true } : {}),
    ...(uris.length > 0 && hasResources ? { resourceSubscriptions: uris } : {}),
  }
}

/** What a request may hold that is kept while its subscription is open: the longest filter, and who sends it. */
const maxKept = 128 * 1024

/** What a value takes besides its characters, about. */
const ofEachValue = 32

/**
 * A request that lasts is kept whole, and a client can have many: what it holds is bounded more tightly than a message.
 *
 * @throws ProtocolError -32602
 */
function checkKept(message: unknown): void {
  if (quotaBeside(message, maxKept) >= 0) return
  const reason = `the request of a subscription holds at most ${maxKept / 1024} KiB, which are kept while it is open`
  throw new ProtocolError('invalidParams', `Invalid params: ${reason}`)
}

/** Negative: there is no room for it. Looks no further then. */
function quotaBeside(value: unknown, quota: number): number {
  let left = quota - ofEachValue
  if (typeof value === 'string') return left - value.length
  if (typeof value !== 'object' || value === null) return left
  for (const key in value) {
    if (left < 0) break
    left = quotaBeside((value as Record<string, unknown>)[key], left - key.length)
  }
  return left
}
