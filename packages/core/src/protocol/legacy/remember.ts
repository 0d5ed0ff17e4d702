import type { Peer, PeerState } from '../peer.js'

/** Changes the stored state of a client. @returns The empty result of a request that has no other effect. */
export function remember(peer: Peer, change: (state: PeerState) => PeerState): string | Promise<string> {
  const changing = peer.remember(change)
  return changing instanceof Promise ? changing.then(() => '{}') : '{}'
}
