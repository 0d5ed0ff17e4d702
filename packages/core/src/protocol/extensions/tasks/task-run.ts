import { setImmediate } from 'node:timers/promises'
import type { InputRequest } from '../../../client-requests/client-request.js'
import { CallCancelled, Cancellation } from '../../../context/cancellation.js'
import type { McpContext } from '../../../context/mcp-context.js'
import { principalKey, subjectKey } from '../../../context/principal.js'
import type { ProgressUpdate } from '../../../context/progress.js'
import { errorIdOf, internalError } from '../../../errors/internal-error.js'
import { TaskStoreFull } from '../../../errors/limit-error.js'
import { logFailure, tryLog } from '../../../errors/log-failure.js'
import { ProtocolError } from '../../../errors/protocol-error.js'
import { startLongTimer } from '../../../timing/long-timer.js'
import { retry } from '../../../timing/retry.js'
import { isOver, type Task, type TaskEnd, withClientRequests, withEnd, withProgress } from './task.js'
import { TaskProgress } from './task-progress.js'
import type { Tasks } from './tasks.js'

interface PendingClientRequest {
  readonly resolve: (answer: unknown) => void
  readonly reject: (reason: unknown) => void
}

export class TaskRun {
  readonly cancellation = new Cancellation()
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
    private readonly context: McpContext,
  ) {}

  get task(): Task | null {
    return this.#task
  }

  async start(): Promise<Task | null> {
    const { principal } = this.context
    const beganAt = performance.now()
    const task = await this.tasks.create(principalKey(principal), subjectKey(principal))
    if (task === null) return null
    const { reason } = this.cancellation
    if (reason !== null) {
      await this.tasks.change(task.taskId, (created) => withEnd(created, cancelled(reason)))
      throw reason
    }
    this.#task = task
    this.tasks.began(task.taskId, this)
    if (task.ttlMs !== null) {
      this.#endsAt = beganAt + task.ttlMs
      this.#expiry = startLongTimer(() => this.#expire(), task.ttlMs)?.unref()
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
    const { taskId, owner } = this.#task as Task
    retry(() => this.tasks.find(taskId, owner), this.#stopping.signal).then(
      // The handler of a deleted task is cancelled, because no client can request its result.
      (task) => (task === undefined ? this.#cancel('the task has ended') : this.changed(task)),
      (error: unknown) => logFailure(this.context.log, error, { taskId }, 'a task could not be read'),
    )
  }

  async stop(reason: string): Promise<void> {
    this.#cancel(reason)
    this.#stopping.abort()
    await this.#ending
  }

  report(update: ProgressUpdate): void {
    if (this.#task !== null && this.cancellation.reason === null) this.#progress.report(update)
  }

  async ask(key: string, request: InputRequest): Promise<unknown> {
    const { cancellation } = this
    cancellation.signal.throwIfAborted()
    // The user's time to answer does not count toward the handler's time limit.
    cancellation.pause()
    try {
      return await new Promise<unknown>((resolve, reject) => {
        this.#pending.set(key, { resolve, reject })
        this.#wanted.set(key, request)
        this.#publishing ??= this.#publishWanted()
        this.#publishing.catch(reject)
      })
    } finally {
      this.#pending.delete(key)
      cancellation.resume()
    }
  }

  giveUpClientRequests(): void {
    const reason = this.cancellation.reason ?? new CallCancelled('the call ended')
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
      logFailure(this.context.log, error, { taskId }, 'the progress of a task could not be stored')
    }
  }

  async #end(outcome: Promise<string>): Promise<void> {
    const { taskId } = this.#task as Task
    const end = await this.#endOf(outcome, taskId)
    this.#isEnding = true
    this.#progress.end()
    clearTimeout(this.#expiry)
    try {
      // The write is retried, because a task without a stored end appears to run for ever. The retries stop when the server
      // closes.
      await retry(() => this.#keep(end), this.#stopping.signal)
    } catch (error) {
      logFailure(this.context.log, error, { taskId }, 'the end of a task could not be stored')
    } finally {
      this.tasks.ended(taskId)
    }
  }

  async #endOf(outcome: Promise<string>, taskId: string): Promise<TaskEnd> {
    try {
      return { status: 'completed', result: await outcome }
    } catch (error) {
      if (error instanceof CallCancelled) return cancelled(error)
      if (error instanceof ProtocolError) return failed(error)
      const errorId = errorIdOf(this.context)
      logFailure(this.context.log, error, { errorId, taskId }, 'a task failed unexpectedly')
      return failed(internalError(errorId))
    }
  }

  async #keep(end: TaskEnd): Promise<void> {
    try {
      const kept = await this.#change((task) => withEnd(task, end))
      const hasLapsed = kept === undefined && (this.#hasExpired || this.#isOverdue())
      // The store no longer has the task, so its end is only published. Without this message, listeners would wait for ever.
      if (hasLapsed) this.tasks.publishEnd(withEnd(this.#task as Task, end))
    } catch (error) {
      if (!(error instanceof TaskStoreFull)) throw error
      const { taskId } = this.#task as Task
      tryLog(() => this.context.log.warn({ err: error, taskId }, 'the result of a task could not be stored'))
      const full = new ProtocolError('internalError', 'The server cannot store the result. Try again later')
      await this.#change((task) => withEnd(task, failed(full)))
    }
  }

  #change(change: (task: Task) => Task): Promise<Task | undefined> {
    return this.tasks.change((this.#task as Task).taskId, change)
  }

  /** Whether the task's lifetime has ended. Needed because the timer that ends the task can be late in a busy process. */
  #isOverdue(): boolean {
    return this.cancellation.reason === null && performance.now() >= this.#endsAt
  }

  #expire(): void {
    this.#hasExpired = this.cancellation.reason === null
    this.#cancel('the task has expired')
  }

  #cancel(reason: string): void {
    this.cancellation.cancel(new CallCancelled(reason))
  }
}

function failed({ code, message, data }: ProtocolError): TaskEnd {
  return { status: 'failed', error: { code, message, data } }
}

function cancelled({ message }: Error): TaskEnd {
  return { status: 'cancelled', statusMessage: `${message.charAt(0).toUpperCase()}${message.slice(1)}.` }
}
