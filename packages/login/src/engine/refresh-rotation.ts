import { setTimeout as sleep } from 'node:timers/promises'
import type { KoaContextWithOIDC } from 'oidc-provider'
import { keyOf } from '../secrets.js'
import type { SealedStore } from '../store/sealed-store.js'
import { LockPending, lockSeconds, pollMs, waitSeconds } from '../store/with-lock.js'

interface Rotation {
  readonly at: number
  /** Key of the new refresh token. */
  readonly successor: string
}

/** The response to a refresh, which a client that lost it can get again. */
type TokenResponse = Readonly<Record<string, unknown>> & { readonly refresh_token: string }

/** Thrown instead of rotating again: the response of the first request is sent. */
export class AlreadyRotated extends Error {
  constructor(readonly response: TokenResponse) {
    super('the refresh token was used a moment ago')
  }
}

/**
 * Rotates refresh tokens. A client whose response was lost, or that refreshes twice at once, gets the same response again within the
 * overlap. A token that is used later, or after its successor was used, is stolen: the engine then ends the session.
 */
export class RefreshRotation {
  constructor(
    private readonly store: SealedStore,
    private readonly overlapSeconds: number,
  ) {}

  async isReused(token: string): Promise<boolean> {
    const rotation = await this.store.get<Rotation>(keyOf('rotated', token))
    if (rotation === null) return false
    return (
      Date.now() > rotation.at + this.overlapSeconds * 1000 ||
      (await this.store.get(`rotated:${rotation.successor}`)) !== null
    )
  }

  /**
   * Lets one request use the token; others wait for its response.
   *
   * @throws AlreadyRotated with this response.
   */
  async begin(token: string): Promise<void> {
    const end = Date.now() + waitSeconds * 1000
    while (Date.now() < end) {
      // oxlint-disable-next-line no-await-in-loop
      const response = await this.store.get<TokenResponse>(keyOf('answer', token))
      if (response !== null) throw new AlreadyRotated(response)
      // oxlint-disable-next-line no-await-in-loop
      if (await this.store.add(keyOf('rotating', token), true, lockSeconds)) return
      // oxlint-disable-next-line no-await-in-loop
      await sleep(pollMs)
    }
    throw new LockPending()
  }

  /**
   * Records the response. Returns the response to send: that of another request, if it was faster because this one took longer than
   * the lock.
   */
  async finish(token: string, response: TokenResponse): Promise<TokenResponse | null> {
    const successor = keyOf('', response.refresh_token).slice(1)
    const rotation: Rotation = { at: Date.now(), successor }
    const keptSeconds = this.overlapSeconds + lockSeconds
    if (await this.store.add(keyOf('rotated', token), rotation, keptSeconds)) {
      // Afterwards, the token is unknown, which its signature gives away as a second use.
      const used = await this.store.get(keyOf('RefreshToken', token))
      if (used !== null) await this.store.set(keyOf('RefreshToken', token), used, keptSeconds)
      if (this.overlapSeconds > 0) await this.store.set(keyOf('answer', token), response, this.overlapSeconds)
      return response
    }
    return this.store.get<TokenResponse>(keyOf('answer', token))
  }

  /** Lets the next request use the token, because this one failed. */
  async abort(token: string): Promise<void> {
    await this.store.take(keyOf('rotating', token))
  }
}

export function rotatedTokenOf(ctx: KoaContextWithOIDC): string | undefined {
  const { RotatedRefreshToken: rotated } = ctx.oidc.entities as {
    readonly RotatedRefreshToken?: { readonly jti: string }
  }
  return rotated?.jti
}
