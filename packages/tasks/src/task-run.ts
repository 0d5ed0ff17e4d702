import { type InputRequest, ProtocolError } from '@toolwright/core'
import type { DetachableCall } from '@toolwright/core/extension'
import { logFailure, tryLog } from '@toolwright/core/host'
import { retry, StoreFull } from '@toolwright/core/store'
import { isOver, type Task, type TaskEnd, withClientRequests, withEnd, withProgress } from './task.js'
import { TaskClientRequests } from './task-client-requests.js'
import { TaskLifetime } from './task-lifetime.js'
import { TaskProgress } from './task-progress.js'
import type { Tasks } from './tasks.js'

export class TaskRun {
  readonly #stopping = new AbortController()
  readonly #progress = new TaskProgress((message) => this.#publishProgress(message))
  readonly #clientRequests = new TaskClientRequests((clientRequests) => this.#publishRequests(clientRequests))
  readonly #lifetime = new TaskLifetime(() => this.#cancel('the task has expired'))
  #task: Task | null = null
  #isEnding = false
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
    if (task.ttlMs !== null) this.#lifetime.begin(beganAt, task.ttlMs, signal)
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
    this.#clientRequests.answered(answers)
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

  ask(key: string, request: InputRequest): Promise<unknown> {
    return this.#clientRequests.ask(key, request)
  }

  handlerEnded(reason: Error): void {
    this.#clientRequests.reject(reason)
  }

  async #publishRequests(clientRequests: Readonly<Record<string, InputRequest>>): Promise<void> {
    const task = await this.#change((before) =>
      withClientRequests(before, clientRequests, (key) => this.#clientRequests.isPending(key)),
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
    this.#lifetime.stop()
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
      const hasLapsed = kept === undefined && this.#lifetime.hasEnded
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
