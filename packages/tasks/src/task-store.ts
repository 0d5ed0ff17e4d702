import { defaultLimits } from '@toolwright/core'
import { Quota } from '@toolwright/core/host'
import { StoreFull } from '@toolwright/core/store'
import { callerOfTask, isOver, type Task } from './task.js'

/**
 * A store for tasks. The default store keeps tasks in the memory of this process. If several processes share a store, a client
 * can use its tasks from any of these processes. If a method rejects, or takes longer than `limits.storeTimeoutMs`, the request
 * fails with an error that allows a retry. If the end of a task cannot be stored, the server retries for five minutes.
 */
export interface TaskStore {
  /**
   * Called one time when a server that uses this store boots, with the server's name and limits. An error thrown here prevents
   * the server from starting.
   */
  prepare?(owner: { readonly name: string; readonly limits: TaskStoreLimits }): Promise<void> | void
  /** Stores a new task until it expires. Returns `false` when a limit is reached. */
  create(task: Task): Promise<boolean>
  /** Returns a task; `undefined` for an unknown or expired task. */
  get(taskId: string): Promise<Task | undefined>
  /**
   * Replaces a task with the result of `change`, atomically, unless the task has ended. `change` can run more than once. If
   * `change` returns the same object, the task stays unchanged.
   *
   * @returns The stored task; `undefined` when the task does not exist, or has ended and therefore stays unchanged.
   * @throws TaskStoreFull when the changed task would exceed a limit.
   */
  update(taskId: string, change: (task: Task) => Task): Promise<Task | undefined>
  /**
   * Stores for `aliveMs` that a process is alive. Called six times in that time. Without this method and {@link isAlive}, the tasks
   * of a killed process stay unchanged until they expire.
   *
   * @param node Random id of the process.
   */
  beat?(node: string, aliveMs: number): Promise<void>
  /** Whether `beat` was called for a process within its `aliveMs`, by the clock of the store. */
  isAlive?(node: string): Promise<boolean>
}

/** Thrown when a task would exceed a limit of its store. */
export class TaskStoreFull extends StoreFull {
  override readonly name = 'TaskStoreFull'
}

export interface TaskStoreLimits {
  readonly maxTasks: number
  /**
   * Maximum number of tasks of one principal, over all its clients. All callers without credentials share one limit. On a server
   * without authentication, only `maxTasks` applies.
   */
  readonly maxTasksPerPrincipal: number
  /** Maximum bytes of results and answers, for all tasks together. */
  readonly maxTaskBytes: number
  /** Maximum bytes of results and answers, for the tasks of one principal. Default: no separate limit. */
  readonly maxTaskBytesPerPrincipal?: number
}

interface Kept {
  readonly task: Task
  readonly bytes: number
  /** Time of expiry by the clock of the store; `Infinity`: never. */
  readonly endsAt: number
}

/** The default store, in memory. Tasks are removed only when they expire: at a limit, new tasks are rejected. */
export class InMemoryTaskStore implements TaskStore {
  /** Tasks in order of creation. If all tasks have the same TTL, they expire in this order. */
  readonly #tasks = new Map<string, Kept>()
  readonly #count: Quota
  readonly #bytes: Quota
  readonly limits: TaskStoreLimits

  constructor(
    limits: Partial<TaskStoreLimits> = {},
    private readonly now: () => number = () => performance.now(),
  ) {
    const { maxTasks, maxTasksPerPrincipal, maxTaskBytes } = defaultLimits
    this.limits = { maxTasks, maxTasksPerPrincipal, maxTaskBytes, ...limits }
    this.#count = new Quota(this.limits.maxTasks, this.limits.maxTasksPerPrincipal)
    this.#bytes = new Quota(this.limits.maxTaskBytes, this.limits.maxTaskBytesPerPrincipal)
  }

  async create(task: Task): Promise<boolean> {
    this.#deleteExpired()
    const caller = callerOfTask(task)
    if (!this.#count.allows(caller)) return false
    this.#tasks.set(task.taskId, { task, bytes: 0, endsAt: this.now() + (task.ttlMs ?? Infinity) })
    this.#count.take(caller)
    return true
  }

  async get(taskId: string): Promise<Task | undefined> {
    return this.#find(taskId)?.task
  }

  async update(taskId: string, change: (task: Task) => Task): Promise<Task | undefined> {
    // Expired tasks must not count toward the limits.
    this.#deleteExpired()
    const kept = this.#find(taskId)
    if (kept === undefined || isOver(kept.task)) return undefined
    const task = change(kept.task)
    if (task === kept.task) return task
    const bytes = bytesOfTask(task)
    this.#takeBytes(kept.task, bytes - kept.bytes)
    this.#tasks.set(taskId, { ...kept, task, bytes })
    return task
  }

  get size(): number {
    this.#deleteExpired()
    return this.#tasks.size
  }

  /** Number of bytes that count toward `maxTaskBytes`. */
  get bytes(): number {
    this.#deleteExpired()
    return this.#bytes.taken
  }

  #find(taskId: string): Kept | undefined {
    const kept = this.#tasks.get(taskId)
    if (kept === undefined || !this.#isExpired(kept)) return kept
    this.#delete(kept)
    return undefined
  }

  #takeBytes(task: Task, more: number): void {
    const { maxTaskBytes, maxTaskBytesPerPrincipal } = this.limits
    const caller = callerOfTask(task)
    if (more > 0 && !this.#bytes.allows(null, more)) {
      throw new TaskStoreFull(`All stored tasks together must have at most ${maxTaskBytes} bytes`)
    }
    if (more > 0 && !this.#bytes.allows(caller, more)) {
      throw new TaskStoreFull(`The tasks of one principal together must have at most ${maxTaskBytesPerPrincipal} bytes`)
    }
    this.#bytes.take(caller, more)
  }

  #isExpired({ endsAt }: Kept): boolean {
    return this.now() >= endsAt
  }

  /** Removes expired tasks. Called on each use of the store, because the store has no timer. */
  #deleteExpired(): void {
    for (const kept of this.#tasks.values()) {
      if (!this.#isExpired(kept)) return
      this.#delete(kept)
    }
  }

  #delete({ task, bytes }: Kept): void {
    this.#tasks.delete(task.taskId)
    const caller = callerOfTask(task)
    this.#count.take(caller, -1)
    this.#bytes.take(caller, -bytes)
  }
}

/**
 * Returns the size of a task's potentially large parts. Other parts are not counted, because only the application's code
 * determines their size.
 */
export function bytesOfTask({ result = '', answers, error }: Task): number {
  const rest = answers === undefined && error === undefined ? '' : JSON.stringify([answers, error])
  return Buffer.byteLength(result) + Buffer.byteLength(rest)
}
