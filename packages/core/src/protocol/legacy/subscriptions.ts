import type { Catalog } from '../../catalog/catalog.js'
import type { Change, ChangeBus } from '../../context/changes.js'
import { maySubscribe } from '../../dispatch/authorize-subscription.js'
import { readString } from '../../dispatch/read-params.js'
import type { ResourcePlans } from '../../dispatch/read-resource.js'
import { ProtocolError } from '../../errors/protocol-error.js'
import { mayHear } from '../audible-changes.js'
import { changeNotification } from '../change-notification.js'
import type { Call, Method } from '../era.js'
import type { Peer } from '../peer.js'
import { maxSubscribedUris, readSubscribedUri } from '../subscribed-uris.js'

/** Tells a client of every change of a list, and of the resources that it subscribed to, for as long as it is there. */
export function tellOfChanges(peer: Peer, catalog: Catalog, changeBus: ChangeBus): void {
  const stopTelling = changeBus.subscribe((change) => {
    if (!peer.isInitialized || !wants(peer, change) || !mayHear(change, peer.principal, catalog)) return
    peer.channel.send(changeNotification(change))
  })
  peer.onGone(stopTelling)
}

function wants({ subscribedUris }: Peer, change: Change): boolean {
  return change.kind !== 'resource' || subscribedUris.has(change.uri)
}

/** `resources/subscribe` */
export function createSubscribe(plans: ResourcePlans): Method {
  return async (call) => {
    const peer = requirePeer(call.peer)
    const uri = readSubscribedUri(call.request.params['uri'])
    if (await maySubscribe(plans, uri, call)) subscribe(uri, peer)
    return '{}'
  }
}

function subscribe(uri: string, { subscribedUris }: Peer): void {
  if (subscribedUris.size >= maxSubscribedUris && !subscribedUris.has(uri)) {
    throw new ProtocolError('invalidParams', `Invalid params: a client has at most ${maxSubscribedUris} subscriptions`)
  }
  subscribedUris.add(uri)
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
