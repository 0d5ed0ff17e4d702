import { type StoreOwner } from '@toolwright/core'
import {
  bytesOfTask,
  callerOfTask,
  isOver,
  type Task,
  type TaskStore,
  TaskStoreFull,
  type TaskStoreLimits,
} from '@toolwright/tasks'
import { Counts } from './counts.js'
import type { Keys } from './keys.js'
import { retryOnConflict, tooLate } from './retry-on-conflict.js'
import { longestMs, Script } from './script.js'
import type { StoreConnection } from './store-connection.js'
import type { StoresOwner } from './stores-owner.js'
import { Turns } from './turns.js'

const replace = new Script(`
local task, before, text = KEYS[1], ARGV[1], ARGV[2]
if redis.call('GET', task) ~= before then return 0 end
redis.call('SET', task, text, 'KEEPTTL')
return 1`)

/** Tasks that nodes share. Each task is stored as a string that expires. */
export class RedisTaskStore implements TaskStore {
  readonly #counts: Counts
  readonly #turns = new Turns()

  constructor(
    private readonly connection: StoreConnection,
    private readonly keys: Keys,
    private readonly owner: StoresOwner,
  ) {
    this.#counts = new Counts(connection, keys, 'tasks')
  }

  prepare(owner: StoreOwner): Promise<void> {
    return this.owner.prepare(owner)
  }

  async create(task: Task): Promise<boolean> {
    const { taskId, createdAt, ttlMs } = task
    const { maxTasks, maxTasksPerPrincipal } = this.owner.limits
    const keptMs = Math.min(ttlMs === null ? longestMs : createdAt + ttlMs - Date.now(), longestMs)
    const caller = callerOfTask(task)
    const bounds = { max: maxTasks, maxPerCaller: maxTasksPerPrincipal }
    if (!(await this.#counts.add(taskId, caller, Math.max(keptMs, 1), bounds))) return false
    try {
      const text = JSON.stringify(task)
      await this.connection.run((client) => client.set(this.#keyOf(taskId), text, { PX: Math.max(keptMs, 1) }))
    } catch (error) {
      // Otherwise, the task would be counted until its expiry.
      await this.#counts.remove(taskId, caller).catch(() => undefined)
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
    const bounds = { max: maxTaskBytes, maxPerCaller: maxTaskBytesPerPrincipal }
    const outcome = await this.#counts.resize(task.taskId, callerOfTask(task), bytesOfTask(task), bounds)
    if (outcome === 'full') throw new TaskStoreFull(`All stored tasks together must have at most ${maxTaskBytes} bytes`)
    if (outcome === 'full of one') {
      throw new TaskStoreFull(`The tasks of one principal together must have at most ${maxTaskBytesPerPrincipal} bytes`)
    }
  }

  async beat(node: string, aliveMs: number): Promise<void> {
    await this.connection.run((client) => client.set(this.#nodeKeyOf(node), '', { PX: Math.ceil(aliveMs) }))
  }

  async isAlive(node: string): Promise<boolean> {
    return (await this.connection.run((client) => client.get(this.#nodeKeyOf(node)))) !== null
  }

  #read(taskId: string): Promise<string | null> {
    return this.connection.run((client) => client.get(this.#keyOf(taskId)))
  }

  #keyOf(taskId: string): string {
    return this.keys.in(taskId, 'task')
  }

  #nodeKeyOf(node: string): string {
    return this.keys.of('nodes', node)
  }
}
