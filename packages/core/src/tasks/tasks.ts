import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { publishTo } from '../bus.js'
import { type ErrorLog, logFailure } from '../errors/log-failure.js'
import { retry } from '../timing/retry.js'
import type { Task } from './task.js'
import type { TaskBus } from './task-bus.js'
import { type TaskStore, TaskStoreFull } from './task-store.js'

/** The handler of a task, while it runs in this process. */
export interface RunningHandler {
  /** The task was changed, here or in another process. */
  changed(task: Task): void
  /** Changes may have been missed: asks the store how the task stands. */
  lookAgain(): void
  /** Cancels it, and resolves when the task has ended. */
  stop(reason: string): Promise<void>
}

/** The key of callers without credentials. No key of a known caller equals it. */
const anonymous = 'anonymous'

interface TasksOptions {
  readonly store: TaskStore
  readonly bus: TaskBus
  /** Milliseconds from its creation on for which a task is kept; `Infinity`: for ever. */
  readonly ttlMs: number
  readonly log: ErrorLog
}

/** The tasks of one server. */
export class Tasks {
  readonly bus: TaskBus
  readonly #running = new Map<string, RunningHandler>()
  /** Tasks of which nobody knows whether they were changed, each with what stands for the reading of it. */
  readonly #doubtful = new Map<string, symbol>()
  readonly #closing = new AbortController()
  #refused = 0
  #knowsCallers = false
  readonly #unsubscribe: () => void

  constructor(private readonly options: TasksOptions) {
    // Each task that is doubtful waits with it, and Node 20 warns of more than ten.
    setMaxListeners(0, this.#closing.signal)
    this.bus = options.bus
    this.#unsubscribe = this.bus.subscribe(
      (task) => this.#running.get(task.taskId)?.changed(task),
      () => this.#running.forEach((handler) => handler.lookAgain()),
    )
  }

  /** Distinguishes callers from now on: callers without credentials share one quota. */
  expectKnownCallers(): void {
    this.#knowsCallers = true
  }

  /**
   * @param known Whom it counts for; `null` for a caller without credentials.
   * @returns `null` when there is no room for another one.
   */
  async create(owner: string | null, known: string | null): Promise<Task | null> {
    const { store, ttlMs } = this.options
    if (known !== null) this.expectKnownCallers()
    // Without authentication all callers count as one, with the whole quota.
    const caller = known ?? (this.#knowsCallers ? anonymous : null)
    const now = Date.now()
    const task: Task = {
      // 122 bits from a CSPRNG: nobody finds one by trying.
      taskId: randomUUID(),
      owner,
      ...(caller === null ? {} : { caller }),
      status: 'working',
      createdAt: now,
      lastUpdatedAt: now,
      ttlMs: Number.isFinite(ttlMs) ? ttlMs : null,
    }
    if (await store.create(task)) return task
    this.#refused++
    return null
  }

  /** The task with this id; unknown, expired and somebody else's look all the same. */
  async find(taskId: string, owner: string | null): Promise<Task | undefined> {
    const task = await this.options.store.get(taskId)
    return task?.owner === owner ? task : undefined
  }

  /** Changes a task and tells everybody of it. @returns `undefined` when it is over, or gone. */
  async change(taskId: string, change: (task: Task) => Task): Promise<Task | undefined> {
    let isChanged = false
    const changed = await this.#update(taskId, (task) => {
      const next = change(task)
      isChanged = next !== task
      return isChanged ? { ...next, lastUpdatedAt: Math.max(Date.now(), task.lastUpdatedAt) } : task
    })
    if (changed === undefined || !isChanged) return changed
    this.#doubtful.delete(taskId)
    this.#publish(changed)
    return changed
  }

  /** Tells everybody how a task ended that is kept no longer. */
  tell(task: Task): void {
    this.#publish({ ...task, lastUpdatedAt: Math.max(Date.now(), task.lastUpdatedAt) })
  }

  began(taskId: string, handler: RunningHandler): void {
    this.#running.set(taskId, handler)
  }

  ended(taskId: string): void {
    this.#running.delete(taskId)
  }

  /** Handlers that run in this process. */
  get running(): number {
    return this.#running.size
  }

  /** Since the start: tasks, and what was to be kept with one, for which there was no room. */
  get refused(): number {
    return this.#refused
  }

  async #update(taskId: string, change: (task: Task) => Task): Promise<Task | undefined> {
    try {
      return await this.options.store.update(taskId, change)
    } catch (error) {
      if (error instanceof TaskStoreFull) this.#refused++
      else void this.#tellHowItStands(taskId)
      throw error
    }
  }

  /**
   * What a store has failed to change it may have changed all the same, only too late to say so. Whoever tries it again
   * finds nothing to change, and nobody would ever be told.
   */
  async #tellHowItStands(taskId: string): Promise<void> {
    if (this.#doubtful.has(taskId)) return
    const reading = Symbol(taskId)
    this.#doubtful.set(taskId, reading)
    const { store, log } = this.options
    try {
      const task = await retry(() => store.get(taskId), this.#closing.signal)
      // What everybody was told of meanwhile is newer.
      if (task !== undefined && this.#doubtful.get(taskId) === reading) this.#publish(task)
    } catch (error) {
      if (!this.#closing.signal.aborted) logFailure(log, error, { taskId }, 'a task could not be read')
    } finally {
      if (this.#doubtful.get(taskId) === reading) this.#doubtful.delete(taskId)
    }
  }

  #publish(task: Task): void {
    void publishTo(this.bus, task, this.options.log, { taskId: task.taskId })
  }

  /** Cancels whatever runs, and resolves when all of it has ended. Hears of nothing from then on. */
  async close(): Promise<void> {
    try {
      await Promise.all([...this.#running.values()].map((handler) => handler.stop('the server was closed')))
    } finally {
      this.#closing.abort()
      this.#unsubscribe()
    }
  }
}
