import type { ProofStore, ProofUse } from '@toolwright/core'
import type { Keys } from './keys.js'
import { clock, keepFor, longestMs, Script } from './script.js'
import type { StoreConnection } from './store-connection.js'

/** Uses a proof. All proofs are in one sorted set, ordered by expiry. The set also counts the proofs. */
const use = new Script(`${clock}${keepFor}
local proofs = KEYS[1]
local id, keptMs, max = unpack(ARGV)
redis.call('ZREMRANGEBYSCORE', proofs, '-inf', now)
if redis.call('ZSCORE', proofs, id) then return 'used' end
if redis.call('ZCARD', proofs) >= tonumber(max) then return 'full' end
redis.call('ZADD', proofs, now + keptMs, id)
keepFor(proofs, keptMs)
return 'first'`)

export class RedisProofStore implements ProofStore {
  readonly #key: string

  constructor(
    private readonly connection: StoreConnection,
    keys: Keys,
  ) {
    this.#key = keys.of('proofs')
  }

  async use(id: string, keptMs: number, maxProofs: number): Promise<ProofUse> {
    const args = [id, Math.min(Math.ceil(keptMs), longestMs), maxProofs]
    return (await this.connection.script(use, [this.#key], args)) as ProofUse
  }
}
