import type { Change, ChangeBus } from '../../context/changes.js'
import { asSubscribed } from '../notifications/subscribed-uris.js'
import { type Changing, changeNotification, changesOf, isChangeVisibleTo } from '../notifications/visible-changes.js'
import type { Peer } from '../peer.js'

export interface NotifyDependencies extends Changing {
  readonly changeBus: ChangeBus
  readonly notifyChanges: boolean
}

/**
 * Notifies a client of changes of lists and of its subscribed resources until the client is gone. If several nodes share a
 * session, only the node with the GET stream sends notifications.
 *
 * @param onListChange Called after a notification of a changed list.
 * @returns A function that sends notifications for all subscribed resources. Call this function when changes could have been
 * missed.
 */
export function notifyChanges(
  peer: Peer,
  dependencies: NotifyDependencies,
  onListChange: () => void = () => undefined,
): () => void {
  if (!dependencies.notifyChanges) return () => undefined
  let pending: Change[] | null = null

  const notify = (change: Change): void => {
    if (change.kind === 'enabled') return
    if (pending !== null) pending.push(change)
    else if (peer.mayBeOutdated || isSubscribed(change)) notifyAll([change])
  }
  const isSubscribed = (change: Change): boolean =>
    peer.isNotifier(change.kind === 'notification' ? change.node : undefined) &&
    peer.state.isInitialized &&
    asSubscribed(change, peer.state.subscribedUris).length > 0

  const notifyAll = (changes: Change[]): void => {
    const refreshing = peer.refresh()
    if (refreshing === null) return changes.forEach(send)
    pending = []
    const proceed = (): void => {
      const next = pending ?? []
      pending = null
      changes.forEach(send)
      // Refreshes again if changes arrived during the refresh: the state can be older than these changes.
      if (next.length > 0) notifyAll(next)
    }
    // If the store fails, the last known state is used.
    void refreshing.catch(() => undefined).then(proceed)
  }

  const send = (change: Change): void => {
    if (!isSubscribed(change) || !isChangeVisibleTo(change, peer, dependencies)) return
    for (const each of asSubscribed(change, peer.state.subscribedUris)) peer.channel.send(changeNotification(each))
    if (change.kind !== 'resource' && change.kind !== 'notification') onListChange()
  }

  // Lists are excluded: otherwise, all clients would read the lists again at the same time, right after an outage of the bus.
  const onGap = (): void => changesOf(peer.state.subscribedUris).forEach(notify)
  const unsubscribe = dependencies.changeBus.subscribe(notify, onGap)
  peer.onGone(unsubscribe)
  return onGap
}
