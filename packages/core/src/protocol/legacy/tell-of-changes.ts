import type { Change, ChangeBus } from '../../context/changes.js'
import { type Changing, changeNotification, changesOf, mayHear } from '../audible-changes.js'
import type { Peer } from '../peer.js'
import { asSubscribed } from '../subscribed-uris.js'

interface Told extends Changing {
  readonly changeBus: ChangeBus
  readonly notifyChanges: boolean
}

/** Tells a client of every change of a list, and of the resources that it subscribed to, for as long as it is there. */
export function tellOfChanges(peer: Peer, told: Told): void {
  if (!told.notifyChanges) return
  const tell = (change: Change): void => {
    if (!peer.state.isInitialized) return
    const heard = asSubscribed(change, peer.state.subscribedUris)
    if (heard.length === 0 || !mayHear(change, peer.principal, told)) return
    for (const each of heard) peer.channel.send(changeNotification(each))
  }
  // Not of the lists: every client of the server would read all of them, just when a connection has come back.
  const stopTelling = told.changeBus.subscribe(tell, () => changesOf(peer.state.subscribedUris).forEach(tell))
  peer.onGone(stopTelling)
}
