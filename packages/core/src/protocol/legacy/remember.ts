import type { Peer, PeerState } from '../peer.js'

/** Changes what is remembered of a client. @returns The result of a request that is for nothing else. */
export function remember(peer: Peer, change: (state: PeerState) => PeerState): string | Promise<string> {
  const changing = peer.remember(change)
  return changing instanceof Promise ? changing.then(() => '{}') : '{}'
}
