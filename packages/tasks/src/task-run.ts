import { setImmediate } from 'node:timers/promises'
import { type InputRequest, ProtocolError } from '@toolwright/core'
import type { DetachableCall } from '@toolwright/core/extension'
import { logFailure, tryLog } from '@toolwright/core/host'
import { retry, StoreFull } from '@toolwright/core/store'
import { isOver, type Task, type TaskEnd, withClientRequests, withEnd, withProgress } from './task.js'
import { TaskProgress } from './task-progress.js'
import type { Tasks } from './tasks.js'

interface PendingClientRequest {
  readonly resolve: (answer: unknown) => void
  readonly reject: (reason: unknown) => void
}

export class TaskRun {
  readonly #stopping = new AbortController()
  readonly #progress = new TaskProgress((message) => this.#publishProgress(message))
  readonly #pending = new Map<string, PendingClientRequest>()
  readonly #wanted = new Map<string, InputRequest>()
  #publishing: Promise<void> | null = null
  #task: Task | null = null
  #expiry: NodeJS.Timeout | undefined = undefined
  #hasExpired = false
  #isEnding = false
  /** End of the task's lifetime on the monotonic clock. In the store, the task expires at this time or later. */
  #endsAt = Infinity
  #ending: Promise<void> = Promise.resolve()

  constructor(
    private readonly tasks: Tasks,
    private readonly call: DetachableCall,
  ) {}

  get taskId(): string | null {
    return this.#task?.taskId ?? null
  }

  async start(): Promise<Task | null> {
    const { signal, context } = this.call
    const beganAt = performance.now()
    const task = await this.tasks.create(context.principal)
    if (task === null) return null
    if (signal.aborted) {
      await this.tasks.change(task.taskId, (created) => withEnd(created, cancelled(signal.reason as Error)))
      signal.throwIfAborted()
    }
    this.#task = task
    this.tasks.began(task.taskId, this)
    if (task.ttlMs !== null) {
      this.#endsAt = beganAt + task.ttlMs
      // A timer with a longer delay would fire at once.
      if (task.ttlMs < 2 ** 31) this.#expiry = setTimeout(() => this.#expire(), task.ttlMs).unref()
    }
    return task
  }

  follow(outcome: Promise<string>): void {
    this.#ending = this.#end(outcome)
  }

  changed(task: Task): void {
    const { status, answers = {} } = task
    if (status === 'cancelled') this.#cancel('the client cancelled the task')
    // Another process has ended the task, because this process did not respond for too long.
    else if (isOver(task) && !this.#isEnding) this.#cancel('the task has ended')
    for (const [key, { resolve }] of this.#pending) {
      if (Object.hasOwn(answers, key)) resolve(answers[key])
    }
  }

  refresh(): void {
    const { taskId } = this.#task as Task
    const { principal, log } = this.call.context
    retry(() => this.tasks.find(taskId, principal), this.#stopping.signal).then(
      // The handler of a deleted task is cancelled, because no client can request its result.
      (task) => (task === undefined ? this.#cancel('the task has ended') : this.changed(task)),
      (error: unknown) => logFailure(log, error, { taskId }, 'a task could not be read'),
    )
  }

  async stop(reason: string): Promise<void> {
    this.#cancel(reason)
    this.#stopping.abort()
    await this.#ending
  }

  report(update: Parameters<TaskProgress['report']>[0]): void {
    if (this.#task !== null && !this.call.signal.aborted) this.#progress.report(update)
  }

  async ask(key: string, request: InputRequest): Promise<unknown> {
    try {
      return await new Promise<unknown>((resolve, reject) => {
        this.#pending.set(key, { resolve, reject })
        this.#wanted.set(key, request)
        this.#publishing ??= this.#publishWanted()
        this.#publishing.catch(reject)
      })
    } finally {
      this.#pending.delete(key)
    }
  }

  handlerEnded(reason: Error): void {
    for (const { reject } of this.#pending.values()) reject(reason)
  }

  async #publishWanted(): Promise<void> {
    await setImmediate()
    const clientRequests = Object.fromEntries(this.#wanted)
    this.#wanted.clear()
    this.#publishing = null
    const task = await this.#change((before) =>
      withClientRequests(before, clientRequests, (key) => this.#pending.has(key)),
    )
    if (task === undefined) this.#cancel('the task has ended')
  }

  async #publishProgress(message: string): Promise<void> {
    try {
      await this.#change((task) => withProgress(task, message))
    } catch (error) {
      const { taskId } = this.#task as Task
      logFailure(this.call.context.log, error, { taskId }, 'the progress of a task could not be stored')
    }
  }

  async #end(outcome: Promise<string>): Promise<void> {
    const { taskId } = this.#task as Task
    const end = await this.#endOf(outcome)
    this.#isEnding = true
    this.#progress.end()
    clearTimeout(this.#expiry)
    try {
      // The write is retried, because a task without a stored end appears to run for ever. The retries stop when the server
      // closes.
      await retry(() => this.#keep(end), this.#stopping.signal)
    } catch (error) {
      logFailure(this.call.context.log, error, { taskId }, 'the end of a task could not be stored')
    } finally {
      this.tasks.ended(taskId)
    }
  }

  async #endOf(outcome: Promise<string>): Promise<TaskEnd> {
    try {
      return { status: 'completed', result: await outcome }
    } catch (error) {
      return error instanceof ProtocolError ? failed(error) : cancelled(error as Error)
    }
  }

  async #keep(end: TaskEnd): Promise<void> {
    try {
      const kept = await this.#change((task) => withEnd(task, end))
      const hasLapsed = kept === undefined && (this.#hasExpired || this.#isOverdue())
      // The store no longer has the task, so its end is only published. Without this message, listeners would wait for ever.
      if (hasLapsed) this.tasks.publishEnd(withEnd(this.#task as Task, end))
    } catch (error) {
      if (!(error instanceof StoreFull)) throw error
      const { taskId } = this.#task as Task
      tryLog(() => this.call.context.log.warn({ err: error, taskId }, 'the result of a task could not be stored'))
      const full = new ProtocolError('internalError', 'The server cannot store the result. Try again later')
      await this.#change((task) => withEnd(task, failed(full)))
    }
  }

  #change(change: (task: Task) => Task): Promise<Task | undefined> {
    return this.tasks.change((this.#task as Task).taskId, change)
  }

  /** Whether the task's lifetime has ended. Needed because the timer that ends the task can be late in a busy process. */
  #isOverdue(): boolean {
    return !this.call.signal.aborted && performance.now() >= this.#endsAt
  }

  #expire(): void {
    this.#hasExpired = !this.call.signal.aborted
    this.#cancel('the task has expired')
  }

  #cancel(reason: string): void {
    this.call.cancel(reason)
  }
}

function failed({ code, message, data }: ProtocolError): TaskEnd {
  return { status: 'failed', error: { code, message, data } }
}

function cancelled({ message }: Error): TaskEnd {
  return { status: 'cancelled', statusMessage: `${message.charAt(0).toUpperCase()}${message.slice(1)}.` }
}
