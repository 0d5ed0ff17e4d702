import { type StoreOwner, type Task, type TaskStore, TaskStoreFull, type TaskStoreLimits } from '@toolwright/core'
import { bytesOfTask, callerOfTask, isOver } from '@toolwright/core/store'
import { hashOf, type Keys } from './keys.js'
import { retryOnConflict, tooLate } from './retry-on-conflict.js'
import { clock, keepFor, longestMs, Script } from './script.js'
import type { StoreConnection } from './store-connection.js'
import type { StoresOwner } from './stores-owner.js'
import { Turns } from './turns.js'

/**
 * Counts tasks. A cluster stores these keys on one node. Expired tasks are not counted, and are removed a few at a
 * time, because Redis runs nothing else meanwhile. The field with an empty name is the sum of all.
 */
const common = `${clock}${keepFor}
local tasks, sizes, owned = unpack(KEYS)
local id = ARGV[1]

-- Redis may have evicted the tasks, but not their sum.
if redis.call('EXISTS', tasks) == 0 then redis.call('UNLINK', sizes) end

local function deleteOne(id)
  local bytes = redis.call('HGET', sizes, id)
  -- Otherwise, HINCRBY could create the sum anew, without an expiry.
  if bytes then redis.call('HINCRBY', sizes, '', 0 - bytes) end
  redis.call('HDEL', sizes, id)
  redis.call('ZREM', tasks, id)
end

for _, expired in ipairs(redis.call('ZRANGEBYSCORE', tasks, '-inf', now, 'LIMIT', 0, 100)) do deleteOne(expired) end
if owned then redis.call('ZREMRANGEBYSCORE', owned, '-inf', now) end
local function countLive(key) return redis.call('ZCOUNT', key, now, '+inf') end
`

const count = new Script(`${common}
local keptMs, max, maxOwned = unpack(ARGV, 2)
if countLive(tasks) >= tonumber(max) then return 0 end
if owned and countLive(owned) >= tonumber(maxOwned) then return 0 end
for _, key in ipairs({ tasks, owned }) do redis.call('ZADD', key, now + keptMs, id) end
for _, key in ipairs({ tasks, sizes, owned }) do keepFor(key, keptMs) end
return 1`)

const uncount = new Script(`${common}
deleteOne(id)
if owned then redis.call('ZREM', owned, id) end`)

/** Counts the bytes of a task. Growth above the limit is rejected. */
const resize = new Script(`${common}
local bytes, max, maxOwned = unpack(ARGV, 2)
local more = bytes - (redis.call('HGET', sizes, id) or 0)
if more == 0 then return 'counted' end
if more > 0 and (redis.call('HGET', sizes, '') or 0) + more > tonumber(max) then return 'full' end
-- If one caller may use the whole limit, checking the sum of all is enough.
if owned and more > 0 and tonumber(maxOwned) < tonumber(max) then
  local own = more
  for _, each in ipairs(redis.call('ZRANGE', owned, 0, -1)) do own = own + (redis.call('HGET', sizes, each) or 0) end
  if own > tonumber(maxOwned) then return 'full of one' end
end
redis.call('HSET', sizes, id, bytes)
redis.call('HINCRBY', sizes, '', more)
redis.call('PEXPIRE', sizes, math.max(redis.call('PTTL', tasks), 1))
return 'counted'`)

const replace = new Script(`
local task, before, text = KEYS[1], ARGV[1], ARGV[2]
if redis.call('GET', task) ~= before then return 0 end
redis.call('SET', task, text, 'KEEPTTL')
return 1`)

/** Tasks that nodes share. Each task is stored as a string that expires. */
export class RedisTaskStore implements TaskStore {
  readonly #tasks: string
  readonly #sizes: string
  readonly #turns = new Turns()

  constructor(
    private readonly connection: StoreConnection,
    private readonly keys: Keys,
    private readonly owner: StoresOwner,
  ) {
    this.#tasks = keys.in('tasks', 'all')
    this.#sizes = keys.in('tasks', 'bytes')
  }

  prepare(owner: StoreOwner): Promise<void> {
    return this.owner.prepare(owner)
  }

  async create(task: Task): Promise<boolean> {
    const { taskId, createdAt, ttlMs } = task
    const { maxTasks, maxTasksPerPrincipal } = this.owner.limits
    const keptMs = Math.min(ttlMs === null ? longestMs : createdAt + ttlMs - Date.now(), longestMs)
    const counts = this.#countsOf(task)
    const args = [taskId, Math.max(keptMs, 1), maxTasks, maxTasksPerPrincipal]
    if ((await this.connection.script(count, counts, args)) === 0) return false
    try {
      const text = JSON.stringify(task)
      await this.connection.run((client) => client.set(this.#keyOf(taskId), text, { PX: Math.max(keptMs, 1) }))
    } catch (error) {
      // Otherwise, the task would be counted until its expiry.
      await this.connection.script(uncount, counts, [taskId]).catch(() => undefined)
      throw error
    }
    return true
  }

  async get(taskId: string): Promise<Task | undefined> {
    const text = await this.#read(taskId)
    return text === null ? undefined : (JSON.parse(text) as Task)
  }

  update(taskId: string, change: (task: Task) => Task): Promise<Task | undefined> {
    return this.#turns.take(taskId, () => retryOnConflict(() => this.#tryToUpdate(taskId, change)))
  }

  async #tryToUpdate(taskId: string, change: (task: Task) => Task): Promise<Task | undefined | typeof tooLate> {
    const text = await this.#read(taskId)
    if (text === null) return undefined
    const task = JSON.parse(text) as Task
    if (isOver(task)) return undefined
    const changed = change(task)
    if (changed === task) return changed
    const isOtherSize = bytesOfTask(changed) !== bytesOfTask(task)
    if (isOtherSize) await this.#resize(changed, this.owner.limits)
    if (await this.#replace(taskId, text, changed)) return changed
    // Another node has changed the task first: count the size of that version.
    const now = isOtherSize ? await this.get(taskId) : undefined
    if (now !== undefined) await this.#resize(now, { maxTaskBytes: Infinity })
    return tooLate
  }

  /** Replaces a task unless it has changed. @returns Whether the task was replaced. */
  async #replace(taskId: string, before: string, task: Task): Promise<boolean> {
    return (await this.connection.script(replace, [this.#keyOf(taskId)], [before, JSON.stringify(task)])) === 1
  }

  async #resize(
    task: Task,
    {
      maxTaskBytes,
      maxTaskBytesPerPrincipal = Infinity,
    }: Pick<TaskStoreLimits, 'maxTaskBytes' | 'maxTaskBytesPerPrincipal'>,
  ): Promise<void> {
    const args = [task.taskId, bytesOfTask(task), maxTaskBytes, maxTaskBytesPerPrincipal]
    const outcome = await this.connection.script(resize, this.#countsOf(task), args)
    if (outcome === 'full') throw new TaskStoreFull(`All stored tasks together must have at most ${maxTaskBytes} bytes`)
    if (outcome === 'full of one') {
      throw new TaskStoreFull(`The tasks of one principal together must have at most ${maxTaskBytesPerPrincipal} bytes`)
    }
  }

  #read(taskId: string): Promise<string | null> {
    return this.connection.run((client) => client.get(this.#keyOf(taskId)))
  }

  /** Returns the keys that count a task. Unauthenticated callers have no separate limit. */
  #countsOf(task: Task): readonly string[] {
    const caller = callerOfTask(task)
    const owned = caller === null ? [] : [this.keys.in('tasks', `owner:${hashOf(caller)}`)]
    return [this.#tasks, this.#sizes, ...owned]
  }

  #keyOf(taskId: string): string {
    return this.keys.in(taskId, 'task')
  }
}
