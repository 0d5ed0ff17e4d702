import type { Change, ChangeBus } from '../../context/changes.js'
import { readString } from '../../dispatch/read-params.js'
import { ProtocolError } from '../../errors/protocol-error.js'
import { changeNotification } from '../change-notification.js'
import type { Call } from '../era.js'
import type { Peer } from '../peer.js'

/** More resources than anybody watches at once. */
const maxSubscribedUris = 1000

/** Tells a client of every change of a list, and of the resources that it subscribed to, for as long as it is there. */
export function tellOfChanges(peer: Peer, changeBus: ChangeBus): void {
  const stopTelling = changeBus.subscribe((change) => {
    if (peer.isInitialized && wants(peer, change)) peer.channel.send(changeNotification(change))
  })
  peer.onGone(stopTelling)
}

function wants({ subscribedUris }: Peer, change: Change): boolean {
  return change.kind !== 'resource' || subscribedUris.has(change.uri)
}

/** `resources/subscribe` */
export function subscribe({ request, peer }: Call): string {
  const { subscribedUris } = requirePeer(peer)
  const uri = readString(request.params, 'uri')
  if (subscribedUris.size >= maxSubscribedUris && !subscribedUris.has(uri)) {
    throw new ProtocolError('invalidParams', `Invalid params: a client has at most ${maxSubscribedUris} subscriptions`)
  }
  subscribedUris.add(uri)
  return '{}'
}

/** `resources/unsubscribe` */
export function unsubscribe({ request, peer }: Call): string {
  requirePeer(peer).subscribedUris.delete(readString(request.params, 'uri'))
  return '{}'
}

function requirePeer(peer: Peer | null): Peer {
  if (peer !== null) return peer
  throw new ProtocolError('invalidRequest', 'Invalid Request: a subscription needs a session. Call initialize first')
}
