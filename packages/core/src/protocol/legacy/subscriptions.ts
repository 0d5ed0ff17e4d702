import { maySubscribe } from '../../call/authorize-subscription.js'
import { ProtocolError } from '../../errors/protocol-error.js'
import { readString } from '../../rpc/messages.js'
import type { ProtocolDependencies } from '../dependencies.js'
import type { ResultText } from '../era.js'
import { bytesOfUris, checkLength, maxSubscribedUris, readSubscribedUri } from '../notifications/subscribed-uris.js'
import type { Peer, PeerState } from '../peer.js'
import type { RequestCall } from '../request-call.js'

export function createSubscribe(dependencies: ProtocolDependencies): (call: RequestCall) => Promise<ResultText> {
  return async (call) => {
    const peer = requirePeer(call.peer)
    const uri = readSubscribedUri(call.request.params['uri'])
    // A hidden resource looks like a missing resource, and counts toward the client's quota like a missing resource.
    const isMuted = !(await maySubscribe(dependencies, uri, call))
    await peer.remember((state) => {
      checkQuota(peer, state, uri)
      const { subscribedUris, mutedUris } = without(state, uri)
      return isMuted
        ? { ...state, subscribedUris, mutedUris: new Set([...mutedUris, uri]) }
        : { ...state, subscribedUris: new Set([...subscribedUris, uri]), mutedUris }
    })
    return '{}'
  }
}

export async function unsubscribe({ request, peer }: RequestCall): Promise<string> {
  const uri = readString(request.params, 'uri')
  await requirePeer(peer).remember((state) => without(state, uri))
  return '{}'
}

function without(state: PeerState, uri: string): PeerState {
  const [subscribedUris, mutedUris] = [new Set(state.subscribedUris), new Set(state.mutedUris)]
  subscribedUris.delete(uri)
  mutedUris.delete(uri)
  return { ...state, subscribedUris, mutedUris }
}

/**
 * Checks limits of subscriptions, which are stored as long as the session. @throws ProtocolError -32602; LimitError if other
 * callers use up the capacity
 */
function checkQuota({ subscriptionShare }: Peer, { subscribedUris, mutedUris }: PeerState, uri: string): void {
  if (subscribedUris.has(uri) || mutedUris.has(uri)) return
  const uris = [...subscribedUris, ...mutedUris, uri]
  if (uris.length > maxSubscribedUris) {
    throw new ProtocolError(
      'invalidParams',
      `Invalid params: a client can have at most ${maxSubscribedUris} subscriptions`,
    )
  }
  checkLength(uris)
  subscriptionShare.require(bytesOfUris(uris))
}

function requirePeer(peer: Peer | null): Peer {
  if (peer !== null) return peer
  throw new ProtocolError('invalidRequest', 'Invalid Request: a subscription needs a session. Call initialize first')
}
