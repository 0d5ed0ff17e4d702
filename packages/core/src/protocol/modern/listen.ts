import { maySubscribe } from '../../call/authorize-subscription.js'
import type { Change } from '../../context/changes.js'
import type { Recipient } from '../../context/viewer.js'
import { whenExpired } from '../../context/when-expired.js'
import { ProtocolError } from '../../errors/protocol-error.js'
import { type ExactId, type JsonObject, notification, plainId, readObject } from '../../rpc/messages.js'
import { seesResources } from '../capabilities.js'
import type { ProtocolDependencies } from '../dependencies.js'
import { answeringLater, type Method } from '../era.js'
import type { ExtensionSubscription } from '../extensions/extension.js'
import type { CompleteResult } from '../methods/result-writer.js'
import { asSubscribed, cacheSpellings, readSubscribedUris } from '../notifications/subscribed-uris.js'
import { changeNotification, changesOf, changesOfLists, isChangeVisibleTo } from '../notifications/visible-changes.js'
import type { RequestCall } from '../request-call.js'

/** Notifications that a client subscribes to. Spec: basic/subscriptions. */
interface Filter {
  readonly toolsListChanged?: true
  readonly promptsListChanged?: true
  readonly resourcesListChanged?: true
  readonly resourceSubscriptions?: readonly string[]
}

interface Subscribed {
  readonly added: readonly ExtensionSubscription[]
  readonly uris: ReadonlySet<string>
}

const subscriptionIdKey = 'io.modelcontextprotocol/subscriptionId'

/** Creates `subscriptions/listen`. The request stays open for notifications, and is answered when the subscription ends. */
export function createListenMethod(dependencies: ProtocolDependencies, completeResult: CompleteResult): Method {
  const { subscriptions } = dependencies
  return answeringLater(async (call) => {
    if (!call.exchange.canNotify) throw new ProtocolError('notAcceptable', 'Not Acceptable: accept text/event-stream')
    checkSize(call.exchange.message)
    const asked = readObject(call.request.params, 'notifications')
    const filter = readFilter(asked, call.context, dependencies)
    const ended = subscriptions.begin(call)
    // The listener is registered before the first await, because the server can close during the await.
    const ending = new Promise<void>((resolve) => call.whenClosing(resolve))
    const stopWaiting = whenExpired(call.context.principal, () => call.closing())
    try {
      const added = dependencies.notifyChanges ? await dependencies.extensions.subscribe(asked, call) : []
      const uris = await readableUris(filter.resourceSubscriptions ?? [], call, dependencies)
      const honoured: Filter = Object.assign({}, filter, ...added.map((subscription) => subscription.filter))
      const stop = listen(call, honoured, { added, uris }, dependencies)
      // Ends an empty subscription, which would only use up the limit.
      if (Object.keys(honoured).length === 0) call.closing()
      await call.cancellation.race(ending, Number.POSITIVE_INFINITY).finally(stop)
      const { id } = call.request
      return withExactTag(completeResult('', tag(id)), id)
    } finally {
      stopWaiting()
      ended()
    }
  })
}

function listen(
  call: RequestCall,
  filter: Filter,
  { added, uris }: Subscribed,
  dependencies: ProtocolDependencies,
): () => void {
  const { request, client, exchange } = call
  const { changeBus } = dependencies
  const _meta = tag(request.id)
  const viewer = { ...exchange.sender, sessionId: null }
  const methods = new Set(added.flatMap((subscription) => subscription.methods))
  const send = (json: string): void => client.notify(withExactTag(json, request.id))
  // No notification may precede the acknowledgement.
  send(notification('notifications/subscriptions/acknowledged', { _meta, notifications: filter }))
  const notify = (change: Change): void => {
    const subscribed = wants(filter, methods, change) ? asSubscribed(change, uris) : []
    if (subscribed.length === 0 || !isChangeVisibleTo(change, viewer, dependencies)) return
    for (const each of subscribed) send(changeNotification(each, _meta))
  }
  const unsubscribe = changeBus.subscribe(notify, () => {
    for (const change of [...changesOfLists, ...changesOf(uris)]) notify(change)
  })
  const ends = added.map(({ watch }) =>
    watch?.((method, members) =>
      send(`{"jsonrpc":"2.0","method":"${method}","params":{${members},"_meta":${JSON.stringify(_meta)}}}`),
    ),
  )
  return () => {
    for (const end of [unsubscribe, ...ends]) end?.()
  }
}

function tag(id: ExactId): JsonObject {
  return { [subscriptionIdKey]: plainId(id) }
}

function withExactTag(json: string, id: ExactId): string {
  return typeof id === 'bigint'
    ? json.replaceAll(`"${subscriptionIdKey}":"${id}"`, `"${subscriptionIdKey}":${id}`)
    : json
}

function wants(filter: Filter, methods: ReadonlySet<string>, change: Change): boolean {
  if (change.kind === 'notification') return methods.has(change.method)
  if (change.kind === 'enabled') return false
  return change.kind === 'resource' || filter[`${change.kind}ListChanged`] === true
}

async function readableUris(
  uris: readonly string[],
  call: RequestCall,
  dependencies: ProtocolDependencies,
): Promise<ReadonlySet<string>> {
  const isReadable = await Promise.all(uris.map((uri) => maySubscribe(dependencies, uri, call)))
  const readable = new Set(uris.filter((_, index) => isReadable[index]))
  cacheSpellings(readable)
  return readable
}

/**
 * Reads the filter, and drops notifications that cannot occur. For example, the list of prompts cannot change on a server without
 * prompts.
 */
function readFilter(asked: JsonObject, recipient: Recipient, { catalog, notifyChanges }: ProtocolDependencies): Filter {
  if (!notifyChanges) return {}
  const hasResources = seesResources(catalog, recipient)
  const uris = readSubscribedUris(asked['resourceSubscriptions'] ?? undefined)
  return {
    ...(asked['toolsListChanged'] === true ? { toolsListChanged: true } : {}),
    ...(asked['promptsListChanged'] === true && catalog.prompts.use.isUsedBy(recipient)
      ? { promptsListChanged: true }
      : {}),
    ...(asked['resourcesListChanged'] === true && hasResources ? { resourcesListChanged: true } : {}),
    ...(uris.length > 0 && hasResources ? { resourceSubscriptions: uris } : {}),
  }
}

/** Maximum size of a subscription request in bytes: the longest filter plus metadata. */
const maxSize = 128 * 1024

/** Approximate memory of a value in bytes, besides its characters. */
const valueSize = 32

/**
 * Checks the size of a subscription request, which is kept as long as the subscription. The limit is therefore stricter
 * than for other messages.
 *
 * @throws ProtocolError -32602
 */
function checkSize(message: unknown): void {
  if (subtractSize(maxSize, message) >= 0) return
  const reason = `the request of a subscription must have at most ${maxSize / 1024} KiB`
  throw new ProtocolError('invalidParams', `Invalid params: ${reason}`)
}

/** Subtracts the size of a value from a quota. Stops as soon as the result is negative. */
function subtractSize(quota: number, value: unknown): number {
  let left = quota - valueSize
  if (typeof value === 'string') return left - value.length
  if (typeof value !== 'object' || value === null) return left
  for (const key in value) {
    if (left < 0) break
    left = subtractSize(left - key.length, (value as Record<string, unknown>)[key])
  }
  return left
}
