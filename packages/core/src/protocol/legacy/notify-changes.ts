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
 * Tells a client of every change of a list, and of the resources that it subscribed to, for as long as it is there. Of the
 * nodes that share a session, the one that has its GET stream tells.
 *
 * @returns Tells of the resources that it subscribed to: changes may have been missed.
 */
export function notifyChanges(peer: Peer, told: Told): () => void {
  if (!told.notifyChanges) return () => undefined
  /** Changes that came while the last ones waited for what is remembered. */
  let waiting: Change[] | null = null

  const tell = (change: Change): void => {
    if (waiting !== null) waiting.push(change)
    else if (peer.mayBeOutdated || isHeard(change)) tellAll([change])
  }
  const isHeard = (change: Change): boolean =>
    peer.isTeller && peer.state.isInitialized && asSubscribed(change, peer.state.subscribedUris).length > 0

  const tellAll = (changes: Change[]): void => {
    // While the store fails, what was remembered counts.
    const refreshing = inBackground(() => peer.refresh())
    if (refreshing === null) return changes.forEach(send)
    waiting = []
    const goOn = (): void => {
      const next = waiting ?? []
      waiting = null
      changes.forEach(send)
      // Changes that arrived meanwhile may be newer than the answer of the store.
      if (next.length > 0) tellAll(next)
    }
    void refreshing.then(goOn)
  }

  const send = (change: Change): void => {
    if (!isHeard(change) || !mayHear(change, peer.principal, told)) return
    for (const each of asSubscribed(change, peer.state.subscribedUris)) peer.channel.send(changeNotification(each))
  }

  // Not of the lists: every client of the server would read all of them, just when a connection has come back.
  const onGap = (): void => changesOf(peer.state.subscribedUris).forEach(tell)
  const stopTelling = told.changeBus.subscribe(tell, onGap)
  peer.onGone(stopTelling)
  return onGap
}
