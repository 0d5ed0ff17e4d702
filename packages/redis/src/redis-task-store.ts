import { type Task, type TaskStore, TaskStoreFull, type TaskStoreLimits } from '@toolwright/core'
import { bytesOfTask, callerOfTask, isOver } from '@toolwright/core/internal'
import type { Connection } from './connection.js'
import { hashOf, type Keys } from './keys.js'
import { Script } from './script.js'
import { clock, keepFor, longestMs } from './script-parts.js'
import { takeTurns, tooLate } from './take-turns.js'
import { Turns } from './turns.js'

/** What tasks hold whose time is over takes no room. The field without a name has the sum of all. */
const forgetExpired = `${clock}
-- A Redis that throws away what is in use may leave sums of what is gone.
if redis.call('EXISTS', tasks) == 0 then redis.call('DEL', sizes) end
for _, id in ipairs(redis.call('ZRANGEBYSCORE', tasks, '-inf', now)) do
  local bytes = redis.call('HGET', sizes, id)
  -- Without any it would make the sum where there is none, without an expiry.
  if bytes then redis.call('HINCRBY', sizes, '', 0 - bytes) end
  redis.call('HDEL', sizes, id)
  redis.call('ZREM', tasks, id)
end`

const create = new Script(`${keepFor}
local task, tasks, sizes, owned = unpack(KEYS)
local id, text, keptMs, max, maxOwned = unpack(ARGV)
${forgetExpired}
if redis.call('ZCARD', tasks) >= tonumber(max) then return 0 end
if owned then
  redis.call('ZREMRANGEBYSCORE', owned, '-inf', now)
  if redis.call('ZCARD', owned) >= tonumber(maxOwned) then return 0 end
end
redis.call('SET', task, text, 'PX', keptMs)
for _, key in ipairs({ tasks, owned }) do redis.call('ZADD', key, now + keptMs, id) end
for _, key in ipairs({ tasks, sizes, owned }) do keepFor(key, keptMs) end
return 1`)

const replace = new Script(`
local task, tasks, sizes, owned = unpack(KEYS)
local id, before, text, bytes, max, maxOwned = unpack(ARGV)
${forgetExpired}
if redis.call('GET', task) ~= before then return 'changed' end
local more = bytes - (redis.call('HGET', sizes, id) or 0)
if more > 0 and (redis.call('HGET', sizes, '') or 0) + more > tonumber(max) then return 'full' end
-- Where one may have as much as all, the sum of all says enough.
if owned and more > 0 and tonumber(maxOwned) < tonumber(max) then
  local own = more
  for _, each in ipairs(redis.call('ZRANGE', owned, 0, -1)) do own = own + (redis.call('HGET', sizes, each) or 0) end
  if own > tonumber(maxOwned) then return 'full of one' end
end
redis.call('SET', task, text, 'KEEPTTL')
redis.call('HSET', sizes, id, bytes)
redis.call('HINCRBY', sizes, '', more)
redis.call('PEXPIRE', sizes, math.max(redis.call('PTTL', tasks), 1))
return 'replaced'`)

/** Tasks that nodes share: each is one text that expires. */
export class RedisTaskStore implements TaskStore {
  readonly #tasks: string
  readonly #sizes: string
  readonly #turns = new Turns()

  constructor(
    private readonly connection: Connection,
    private readonly keys: Keys,
    private readonly limits: TaskStoreLimits,
  ) {
    this.#tasks = keys.of('tasks')
    this.#sizes = keys.of('tasks', 'bytes')
  }

  async create(task: Task): Promise<boolean> {
    const { taskId, createdAt, ttlMs } = task
    const { maxTasks, maxTasksPerPrincipal } = this.limits
    const keptMs = Math.min(ttlMs === null ? longestMs : createdAt + ttlMs - Date.now(), longestMs)
    const args = [taskId, JSON.stringify(task), Math.max(keptMs, 1), maxTasks, maxTasksPerPrincipal]
    const kept = await this.connection.script(create, this.#keysOf(task), args)
    return kept === 1
  }

  async get(taskId: string): Promise<Task | undefined> {
    const text = await this.#read(taskId)
    return text === null ? undefined : (JSON.parse(text) as Task)
  }

  update(taskId: string, change: (task: Task) => Task): Promise<Task | undefined> {
    return this.#turns.take(taskId, () => takeTurns(() => this.#tryToUpdate(taskId, change)))
  }

  async #tryToUpdate(taskId: string, change: (task: Task) => Task): Promise<Task | undefined | typeof tooLate> {
    const text = await this.#read(taskId)
    if (text === null) return undefined
    const task = JSON.parse(text) as Task
    if (isOver(task)) return undefined
    const changed = change(task)
    return changed === task || (await this.#replace(text, changed)) ? changed : tooLate
  }

  /** Whether the task was still as it is expected to be. */
  async #replace(before: string, task: Task): Promise<boolean> {
    const { taskId } = task
    const { maxTaskBytes, maxTaskBytesPerPrincipal = Infinity } = this.limits
    const args = [taskId, before, JSON.stringify(task), bytesOfTask(task), maxTaskBytes, maxTaskBytesPerPrincipal]
    const outcome = await this.connection.script(replace, this.#keysOf(task), args)
    if (outcome === 'full') throw new TaskStoreFull(`Tasks hold ${maxTaskBytes} bytes at most`)
    if (outcome === 'full of one') {
      throw new TaskStoreFull(`Tasks of one principal hold ${maxTaskBytesPerPrincipal} bytes at most`)
    }
    return outcome === 'replaced'
  }

  #read(taskId: string): Promise<string | null> {
    return this.connection.run((client) => client.get(this.#keyOf(taskId)))
  }

  /** Callers that nobody authenticated have no share of their own. */
  #keysOf(task: Task): readonly string[] {
    const caller = callerOfTask(task)
    const owned = caller === null ? [] : [this.keys.of('tasks', 'owner', hashOf(caller))]
    return [this.#keyOf(task.taskId), this.#tasks, this.#sizes, ...owned]
  }

  #keyOf(taskId: string): string {
    return this.keys.of('task', taskId)
  }
}
