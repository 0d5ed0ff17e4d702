import { acceptOtherCopies } from '../copies/copies.js'
import { monotonicNow } from '../timing/monotonic-now.js'
import { callerOfTask, isOver, type Task } from './task.js'

/**
 * Where tasks are kept. The default holds them in the memory of this process; a store that several processes share lets
 * a client come back to any of them. A method that rejects, or takes longer than `limits.storeTimeoutMs`, costs the
 * request that needs it: the client is told to try again. The end of a task is tried again for five minutes.
 */
export interface TaskStore {
  /**
   * Called once when a server boots that keeps things here, with its name and its limits. An error that it throws prevents
   * the server from starting.
   */
  prepare?(owner: { readonly name: string; readonly limits: TaskStoreLimits }): void | Promise<void>
  /** Keeps a new task until its time is over. `false`: there is no room for it. */
  create(task: Task): Promise<boolean>
  /** `undefined` for a task that is unknown or whose time is over. */
  get(taskId: string): Promise<Task | undefined>
  /**
   * Replaces a task that is not over with what `change` makes of it, as one step: no other change comes between. `change`
   * may run more than once, and returns the same object to leave the task as it is.
   *
   * @returns What is kept now; `undefined` when there is no such task, or it is over and stays as it is.
   * @throws TaskStoreFull when the store has no room for what the task would hold.
   */
  update(taskId: string, change: (task: Task) => Task): Promise<Task | undefined>
}

/** A task would hold more than there is room for. */
export class TaskStoreFull extends Error {
  override readonly name = 'TaskStoreFull'
}
acceptOtherCopies(TaskStoreFull, 'TaskStoreFull')

/** Bounds of the tasks in the memory of this process. */
export interface TaskStoreLimits {
  /** At most so many at once. */
  readonly maxTasks: number
  /**
   * Upper limit for one principal, over all its clients, and for all callers without credentials together. Without
   * authentication, `maxTasks` is their limit.
   */
  readonly maxTasksPerPrincipal: number
  /** Bytes of results and answers, of all tasks together. */
  readonly maxTaskBytes: number
  /** Of those of one principal. Default: as many as of all. */
  readonly maxTaskBytesPerPrincipal?: number
}

/** Those of a server whose options say nothing else. */
export const defaultTaskLimits = { maxTasks: 1000, maxTasksPerPrincipal: 100, maxTaskBytes: 256 * 1024 * 1024 }

interface Kept {
  readonly task: Task
  readonly bytes: number
  /** By the clock of the store; `Infinity`: never. */
  readonly endsAt: number
}

/** What one caller has. */
interface Share {
  tasks: number
  bytes: number
}

/** The embedded default. A task is forgotten when its time is over, and not before; then new ones are refused. */
export class InMemoryTaskStore implements TaskStore {
  /** In order of creation, which is that of expiry as long as all live equally long. */
  readonly #tasks = new Map<string, Kept>()
  readonly #shares = new Map<string, Share>()
  #bytes = 0

  readonly limits: TaskStoreLimits

  constructor(
    limits: Partial<TaskStoreLimits> = {},
    private readonly now: () => number = monotonicNow,
  ) {
    this.limits = { ...defaultTaskLimits, ...limits }
  }

  async create(task: Task): Promise<boolean> {
    this.#forgetExpired()
    if (!this.#fits(task)) return false
    this.#tasks.set(task.taskId, { task, bytes: 0, endsAt: this.now() + (task.ttlMs ?? Infinity) })
    this.#count(task, 1, 0)
    return true
  }

  async get(taskId: string): Promise<Task | undefined> {
    return this.#find(taskId)?.task
  }

  async update(taskId: string, change: (task: Task) => Task): Promise<Task | undefined> {
    // What nobody can ask for any more takes no room from what is to be kept.
    this.#forgetExpired()
    const kept = this.#find(taskId)
    if (kept === undefined || isOver(kept.task)) return undefined
    const task = change(kept.task)
    if (task === kept.task) return task
    const bytes = bytesOfTask(task)
    this.#requireQuota(kept.task, bytes - kept.bytes)
    this.#count(kept.task, 0, bytes - kept.bytes)
    this.#tasks.set(taskId, { ...kept, task, bytes })
    return task
  }

  /** Tasks whose time is not over. */
  get size(): number {
    this.#forgetExpired()
    return this.#tasks.size
  }

  /** What those hold that counts towards `maxTaskBytes`. */
  get bytes(): number {
    this.#forgetExpired()
    return this.#bytes
  }

  #find(taskId: string): Kept | undefined {
    const kept = this.#tasks.get(taskId)
    if (kept === undefined || !this.#isExpired(kept)) return kept
    this.#forget(kept)
    return undefined
  }

  #fits(task: Task): boolean {
    if (this.#tasks.size >= this.limits.maxTasks) return false
    const caller = callerOfTask(task)
    return caller === null || (this.#shares.get(caller)?.tasks ?? 0) < this.limits.maxTasksPerPrincipal
  }

  /** @throws TaskStoreFull */
  #requireQuota(task: Task, more: number): void {
    const { maxTaskBytes, maxTaskBytesPerPrincipal = Infinity } = this.limits
    if (more <= 0) return
    if (this.#bytes + more > maxTaskBytes) throw new TaskStoreFull(`Tasks hold ${maxTaskBytes} bytes at most`)
    const own = this.#shares.get(callerOfTask(task) ?? '')?.bytes ?? 0
    if (own + more > maxTaskBytesPerPrincipal) {
      throw new TaskStoreFull(`Tasks of one principal hold ${maxTaskBytesPerPrincipal} bytes at most`)
    }
  }

  #isExpired({ endsAt }: Kept): boolean {
    return this.now() >= endsAt
  }

  /** Without a timer: what nobody asks for may stay until a new task needs the room. */
  #forgetExpired(): void {
    for (const kept of this.#tasks.values()) {
      if (!this.#isExpired(kept)) return
      this.#forget(kept)
    }
  }

  #forget({ task, bytes }: Kept): void {
    this.#tasks.delete(task.taskId)
    this.#count(task, -1, -bytes)
  }

  /** Callers have no share on a server without authentication. */
  #count(task: Task, tasks: number, bytes: number): void {
    this.#bytes += bytes
    const caller = callerOfTask(task)
    if (caller === null) return
    const share = this.#shares.get(caller) ?? { tasks: 0, bytes: 0 }
    share.tasks += tasks
    share.bytes += bytes
    if (share.tasks === 0) this.#shares.delete(caller)
    else this.#shares.set(caller, share)
  }
}

/** What may be large. The rest of a task is what the application's own code put there. */
export function bytesOfTask({ result = '', answers, error }: Task): number {
  const rest = answers === undefined && error === undefined ? '' : JSON.stringify([answers, error])
  return Buffer.byteLength(result) + Buffer.byteLength(rest)
}
