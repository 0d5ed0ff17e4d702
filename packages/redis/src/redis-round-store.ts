import type { RoundEntry, RoundRunKey, RoundStore, StoreOwner } from '@toolwright/core'
import { Counts } from './counts.js'
import type { Keys } from './keys.js'
import { clock, keepFor, longestMs, Script } from './script.js'
import type { StoreConnection } from './store-connection.js'
import type { StoresOwner } from './stores-owner.js'

// A round is a hash: `run` is the run in progress, `until` the end of its time, `response` the response, and each field that
// begins with `s:` the result of a step.

/** Reads the results of all steps, as a list of names and results. */
const readSteps = `
local function readSteps()
  local steps = {}
  for _, field in ipairs(redis.call('HKEYS', round)) do
    if string.sub(field, 1, 2) == 's:' then
      steps[#steps + 1] = string.sub(field, 3)
      steps[#steps + 1] = redis.call('HGET', round, field)
    end
  end
  return steps
end`

const enter = new Script(`${clock}${keepFor}
local round = KEYS[1]
local run, leaseMs, keptMs = unpack(ARGV)${readSteps}
local isNew = redis.call('EXISTS', round) == 0
local response = redis.call('HGET', round, 'response')
if response then return { 'answered', response, readSteps() } end
local other = redis.call('HGET', round, 'run')
if other and other ~= run and tonumber(redis.call('HGET', round, 'until')) > now then return { 'running' } end
redis.call('HSET', round, 'run', run, 'until', now + leaseMs)
keepFor(round, isNew and keptMs or leaseMs)
return { isNew and 'new' or 'entered', '', readSteps() }`)

const renew = new Script(`${clock}${keepFor}
local round = KEYS[1]
local run, leaseMs = unpack(ARGV)
if redis.call('HGET', round, 'run') ~= run then return 0 end
redis.call('HSET', round, 'until', now + leaseMs)
keepFor(round, leaseMs)
return 1`)

/** A round without a run is one whose response is stored: its handler continues as a task. */
const storeStep = new Script(`
local round = KEYS[1]
local run, name, result = unpack(ARGV)
if redis.call('EXISTS', round) == 0 then return 1 end
local holder = redis.call('HGET', round, 'run')
if holder and holder ~= run then return 0 end
if redis.call('HEXISTS', round, 's:' .. name) == 0 then redis.call('HSET', round, 's:' .. name, result) end
return 1`)

const finish = new Script(`
local round = KEYS[1]
local run, response = unpack(ARGV)
if redis.call('HGET', round, 'run') ~= run then return end
if response then redis.call('HSET', round, 'response', response) end
redis.call('HDEL', round, 'run', 'until')`)

type EnterReply = readonly [status: string, response?: string, steps?: readonly string[]]

/** Rounds that nodes share. Each round is stored as a hash that expires. */
export class RedisRoundStore implements RoundStore {
  readonly #counts: Counts

  constructor(
    private readonly connection: StoreConnection,
    private readonly keys: Keys,
    private readonly owner: StoresOwner,
  ) {
    this.#counts = new Counts(connection, keys, 'rounds')
  }

  prepare(owner: StoreOwner): Promise<void> {
    return this.owner.prepare(owner)
  }

  async enter({ roundId, runId }: RoundRunKey, caller: string | null, leaseMs: number, keptMs: number) {
    const round = this.#keyOf(roundId)
    const lifeMs = Math.min(keptMs, longestMs)
    const args = [runId, leaseMs, lifeMs]
    const [status, response, steps] = (await this.connection.script(enter, [round], args)) as EnterReply
    if (status === 'new' && !(await this.#count(roundId, caller, lifeMs))) return { status: 'full' } as const
    return entryOf(status, response ?? '', steps ?? [])
  }

  async renew({ roundId, runId }: RoundRunKey, leaseMs: number): Promise<boolean> {
    return (await this.connection.script(renew, [this.#keyOf(roundId)], [runId, leaseMs])) === 1
  }

  async storeStep({ roundId, runId }: RoundRunKey, caller: string | null, name: string, result: string) {
    const bytes = Buffer.byteLength(name) + Buffer.byteLength(result)
    if ((await this.#grow(roundId, caller, bytes)) !== 'counted') return 'full'
    const args = [runId, name, result]
    const isStored = (await this.connection.script(storeStep, [this.#keyOf(roundId)], args)) === 1
    return isStored ? 'stored' : 'lost'
  }

  async end({ roundId, runId }: RoundRunKey, caller: string | null, response: string | null): Promise<boolean> {
    if (response !== null && (await this.#grow(roundId, caller, Buffer.byteLength(response))) !== 'counted')
      return false
    await this.connection.script(finish, [this.#keyOf(roundId)], response === null ? [runId] : [runId, response])
    return true
  }

  /** Counts a new round. Deletes the round if a limit is reached. */
  async #count(roundId: string, caller: string | null, keptMs: number): Promise<boolean> {
    const { maxRounds: max, maxRoundsPerPrincipal: maxPerCaller } = this.owner.limits
    let isCounted = false
    try {
      isCounted =
        (await this.#counts.add(roundId, caller, keptMs, { max, maxPerCaller })) &&
        (await this.#grow(roundId, caller, 1)) === 'counted'
    } finally {
      if (!isCounted) await this.#delete(roundId, caller)
    }
    return isCounted
  }

  async #delete(roundId: string, caller: string | null): Promise<void> {
    await this.connection.run((client) => client.del(this.#keyOf(roundId)))
    await this.#counts.remove(roundId, caller)
  }

  #grow(roundId: string, caller: string | null, bytes: number) {
    const { maxRoundBytes: max, maxRoundBytesPerPrincipal: maxPerCaller } = this.owner.limits
    return this.#counts.grow(roundId, caller, bytes, { max, maxPerCaller })
  }

  #keyOf(roundId: string): string {
    return this.keys.in(roundId, 'round')
  }
}

function entryOf(status: string, response: string, list: readonly string[]): RoundEntry {
  if (status === 'running') return { status }
  const pairs = list.flatMap((name, index) => (index % 2 === 0 ? [[name, list[index + 1] as string] as const] : []))
  const steps = Object.fromEntries(pairs)
  return status === 'answered' ? { status, response, steps } : { status: 'entered', steps }
}
