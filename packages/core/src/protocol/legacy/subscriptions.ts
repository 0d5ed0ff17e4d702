import type { Change, ChangeBus } from '../../context/changes.js'
import { maySubscribe } from '../../dispatch/authorize-subscription.js'
import { readString } from '../../dispatch/read-params.js'
import type { ResourcePlans } from '../../dispatch/read-resource.js'
import { ProtocolError } from '../../errors/protocol-error.js'
import { type Changing, changeNotification, changesOf, mayHear } from '../audible-changes.js'
import type { Call, Method } from '../era.js'
import type { Peer, PeerState } from '../peer.js'
import { asSubscribed, checkLength, maxSubscribedUris, readSubscribedUri } from '../subscribed-uris.js'
import { remember } from './remember.js'

interface Told extends Changing {
  readonly changeBus: ChangeBus
}

/** Tells a client of every change of a list, and of the resources that it subscribed to, for as long as it is there. */
export function tellOfChanges(peer: Peer, told: Told): void {
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

/** `resources/subscribe` */
export function createSubscribe(plans: ResourcePlans): Method {
  return async (call) => {
    const peer = requirePeer(call.peer)
    const uri = readSubscribedUri(call.request.params['uri'])
    // What is hidden from a caller looks the same as what is not there, and so does the room that it takes.
    const isMuted = !(await maySubscribe(plans, uri, call))
    return remember(peer, (state) => {
      checkRoom(state, uri)
      const { subscribedUris, mutedUris } = without(state, uri)
      return isMuted
        ? { ...state, subscribedUris, mutedUris: new Set([...mutedUris, uri]) }
        : { ...state, subscribedUris: new Set([...subscribedUris, uri]), mutedUris }
    })
  }
}

/** `resources/unsubscribe` */
export function unsubscribe({ request, peer }: Call): string | Promise<string> {
  const uri = readString(request.params, 'uri')
  return remember(requirePeer(peer), (state) => without(state, uri))
}

function without(state: PeerState, uri: string): PeerState {
  const [subscribedUris, mutedUris] = [new Set(state.subscribedUris), new Set(state.mutedUris)]
  subscribedUris.delete(uri)
  mutedUris.delete(uri)
  return { ...state, subscribedUris, mutedUris }
}

/** They are kept for as long as the client is there. @throws ProtocolError -32602 */
function checkRoom({ subscribedUris, mutedUris }: PeerState, uri: string): void {
  if (subscribedUris.has(uri) || mutedUris.has(uri)) return
  const uris = [...subscribedUris, ...mutedUris, uri]
  if (uris.length > maxSubscribedUris) {
    throw new ProtocolError('invalidParams', `Invalid params: a client has at most ${maxSubscribedUris} subscriptions`)
  }
  checkLength(uris)
}

function requirePeer(peer: Peer | null): Peer {
  if (peer !== null) return peer
  throw new ProtocolError('invalidRequest', 'Invalid Request: a subscription needs a session. Call initialize first')
}
