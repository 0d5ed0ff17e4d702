import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import type { McpContext } from '@toolwright/core'
import { logFailure, tryLog } from '@toolwright/core/host'
import { retry, StoreFull } from '@toolwright/core/store'
import { Heartbeat, isBeating } from './heartbeat.js'
import { isOver, type Task, type TaskEnd, withEnd } from './task.js'
import type { TaskBus } from './task-bus.js'
import type { TaskRun } from './task-run.js'
import type { TaskStore } from './task-store.js'

type Principal = McpContext['principal']

interface TasksOptions {
  readonly store: TaskStore
  /** Never rejects. */
  readonly bus: TaskBus
  /** Milliseconds from the creation of a task until its expiry; `Infinity`: never. */
  readonly ttlMs: number
  /** Milliseconds without a sign of life after which a process counts as dead. */
  readonly nodeTimeoutMs: number
  readonly log: McpContext['log']
  readonly ownerKeyOf: (principal: Principal) => string | null
  readonly quotaKeyOf: (principal: Principal) => string | null
}

const lostEnd: TaskEnd = {
  status: 'failed',
  error: {
    code: -32603,
    message: 'The process that ran this task has died. Call the tool again',
    data: { reason: 'node_lost' },
  },
  statusMessage: 'The process that ran this task has died.',
}

export class Tasks {
  readonly bus: TaskBus
  readonly #running = new Map<string, TaskRun>()
  /** Pending reads after a failed change, by id of the task. */
  readonly #unconfirmed = new Map<string, symbol>()
  readonly #closing = new AbortController()
  /** `null` if the store does not track which processes are alive. */
  readonly #heartbeat: Heartbeat | null
  readonly #sweeps = new Set<() => void>()
  rejected = 0
  lost = 0
  #unsubscribe: () => void = () => undefined

  constructor(private readonly options: TasksOptions) {
    // Every read in progress adds a listener, and Node 20 warns of more than ten.
    setMaxListeners(0, this.#closing.signal)
    this.bus = options.bus
    const { store, nodeTimeoutMs } = options
    this.#heartbeat = isBeating(store) ? new Heartbeat(store, nodeTimeoutMs) : null
  }

  open(): void {
    this.#heartbeat?.open(() => this.#sweeps.forEach((sweep) => sweep()))
    this.#unsubscribe = this.bus.subscribe(
      (task) => this.#running.get(task.taskId)?.changed(task),
      () => {
        void this.#heartbeat?.beat()
        this.#running.forEach((run) => run.refresh())
      },
    )
  }

  /** @returns `null` when a limit is reached. */
  async create(principal: Principal): Promise<Task | null> {
    const { store, ttlMs } = this.options
    const caller = this.options.quotaKeyOf(principal)
    await this.#heartbeat?.ensureAlive()
    const now = Date.now()
    const task: Task = {
      // The id has 122 bits from a CSPRNG, so it cannot be guessed.
      taskId: randomUUID(),
      owner: this.options.ownerKeyOf(principal),
      ...(caller === null ? {} : { caller }),
      ...(this.#heartbeat === null ? {} : { node: this.#heartbeat.node }),
      status: 'working',
      createdAt: now,
      lastUpdatedAt: now,
      ttlMs: Number.isFinite(ttlMs) ? ttlMs : null,
    }
    if (await store.create(task)) return task
    this.rejected++
    return null
  }

  /**
   * Finds a task. A running task whose process has died fails first. Returns `undefined` for unknown and expired tasks, and for
   * tasks of another owner.
   */
  async find(taskId: string, principal: Principal): Promise<Task | undefined> {
    const task = await this.options.store.get(taskId)
    if (task === undefined || task.owner !== this.options.ownerKeyOf(principal)) return undefined
    return (await this.isLost(task)) ? this.#failLost(task) : task
  }

  async isLost(task: Task): Promise<boolean> {
    const { node } = task
    return this.#heartbeat !== null && node !== undefined && !isOver(task) && (await this.#heartbeat.isDead(node))
  }

  async #failLost({ taskId, node }: Task): Promise<Task | undefined> {
    const failed = await this.change(taskId, (task) => withEnd(task, lostEnd))
    // The task has ended meanwhile.
    if (failed === undefined) return this.options.store.get(taskId)
    this.lost++
    tryLog(() => this.options.log.warn({ taskId, node }, 'a task failed, because its process has died'))
    return failed
  }

  /** Calls `sweep` regularly, to look for watched tasks of dead processes. @returns A function that ends the calls. */
  onSweep(sweep: () => void): () => void {
    this.#sweeps.add(sweep)
    return () => this.#sweeps.delete(sweep)
  }

  async change(taskId: string, change: (task: Task) => Task): Promise<Task | undefined> {
    let isChanged = false
    const changed = await this.#update(taskId, (task) => {
      const next = change(task)
      isChanged = next !== task
      return isChanged ? { ...next, lastUpdatedAt: Math.max(Date.now(), task.lastUpdatedAt) } : task
    })
    if (changed === undefined || !isChanged) return changed
    this.#unconfirmed.delete(taskId)
    this.#publish(changed)
    return changed
  }

  publishEnd(task: Task): void {
    this.#publish({ ...task, lastUpdatedAt: Math.max(Date.now(), task.lastUpdatedAt) })
  }

  began(taskId: string, run: TaskRun): void {
    this.#running.set(taskId, run)
  }

  ended(taskId: string): void {
    this.#running.delete(taskId)
  }

  get running(): number {
    return this.#running.size
  }

  async #update(taskId: string, change: (task: Task) => Task): Promise<Task | undefined> {
    try {
      return await this.options.store.update(taskId, change)
    } catch (error) {
      if (error instanceof StoreFull) this.rejected++
      else void this.#publishState(taskId)
      throw error
    }
  }

  /**
   * Reads and publishes a task after the store failed to change it. Needed because the store could have stored the change despite
   * a timeout. A retry by the client would then change and publish nothing.
   */
  async #publishState(taskId: string): Promise<void> {
    if (this.#unconfirmed.has(taskId)) return
    const reading = Symbol(taskId)
    this.#unconfirmed.set(taskId, reading)
    const { store, log } = this.options
    try {
      const task = await retry(() => store.get(taskId), this.#closing.signal)
      // Skip an outdated read: a change that was published during the read is newer.
      if (task !== undefined && this.#unconfirmed.get(taskId) === reading) this.#publish(task)
    } catch (error) {
      if (!this.#closing.signal.aborted) logFailure(log, error, { taskId }, 'a task could not be read')
    } finally {
      if (this.#unconfirmed.get(taskId) === reading) this.#unconfirmed.delete(taskId)
    }
  }

  #publish(task: Task): void {
    void this.bus.publish(task)
  }

  async close(): Promise<void> {
    try {
      await Promise.all([...this.#running.values()].map((run) => run.stop('the server was closed')))
    } finally {
      this.#heartbeat?.close()
      this.#closing.abort()
      this.#unsubscribe()
    }
  }
}
