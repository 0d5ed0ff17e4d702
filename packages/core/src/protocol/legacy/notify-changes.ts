import type { Change, ChangeBus } from '../../context/changes.js'
import type { Peer } from '../peer.js'
import { asSubscribed } from '../subscribed-uris.js'
import { type Changing, changeNotification, changesOf, mayHear } from '../visible-changes.js'
import { inBackground } from './in-background.js'

interface Told extends Changing {
  readonly changeBus: ChangeBus
  readonly notifyChanges: boolean
}

/**
 * Notifies a client of changes of lists and of its subscribed resources until it is gone. Of several nodes that share a
 * session, only the node with its GET stream sends notifications.
 *
 * @returns A function that sends notifications for all subscribed resources, because changes may have been missed.
 */
export function notifyChanges(peer: Peer, told: Told): () => void {
  if (!told.notifyChanges) return () => undefined
  /** Changes that arrived while the session state was being refreshed. */
  let waiting: Change[] | null = null

  const tell = (change: Change): void => {
    if (waiting !== null) waiting.push(change)
    else if (peer.mayBeOutdated || isHeard(change)) tellAll([change])
  }
  const isHeard = (change: Change): boolean =>
    peer.isTeller && peer.state.isInitialized && asSubscribed(change, peer.state.subscribedUris).length > 0

  const tellAll = (changes: Change[]): void => {
    // If the store fails, the last known state is used.
    const refreshing = inBackground(() => peer.refresh())
    if (refreshing === null) return changes.forEach(send)
    waiting = []
    const goOn = (): void => {
      const next = waiting ?? []
      waiting = null
      changes.forEach(send)
      // Changes that arrived in the meantime may be newer than the refreshed state.
      if (next.length > 0) tellAll(next)
    }
    void refreshing.then(goOn)
  }

  const send = (change: Change): void => {
    if (!isHeard(change) || !mayHear(change, peer.principal, told)) return
    for (const each of asSubscribed(change, peer.state.subscribedUris)) peer.channel.send(changeNotification(each))
  }

  // Lists are excluded: all clients would read them again at the same time, right after an outage of the bus.
  const onGap = (): void => changesOf(peer.state.subscribedUris).forEach(tell)
  const stopTelling = told.changeBus.subscribe(tell, onGap)
  peer.onGone(stopTelling)
  return onGap
}
