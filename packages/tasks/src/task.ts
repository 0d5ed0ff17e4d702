import type { InputRequest } from '@toolwright/core'

/** The status of a task. A `completed`, `failed` or `cancelled` task never changes again. */
export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'

export interface TaskError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** A task. Plain JSON, so that any store can hold it. Immutable: a change replaces the task. */
export interface Task {
  /** Random id. Only the owner is allowed to use the task. */
  readonly taskId: string
  /** The creator: issuer, subject and client as one string; `null` when the transport does not authenticate callers. */
  readonly owner: string | null
  /**
   * The caller whose limits the task counts toward: issuer and subject as one string, regardless of the client. Tasks that older
   * versions stored have no caller, and count toward the limits of their owner.
   */
  readonly caller?: string | undefined
  /** Id of the process that runs the handler, if the store tracks which processes are alive. */
  readonly node?: string | undefined
  readonly status: TaskStatus
  /** Message for users: progress of a running task, or the reason for a cancellation or the loss of its process. */
  readonly statusMessage?: string | undefined
  /** Time of creation in milliseconds since 1970. `lastUpdatedAt` has the same format. */
  readonly createdAt: number
  readonly lastUpdatedAt: number
  /** Milliseconds from `createdAt` until the task expires; `null`: never. */
  readonly ttlMs: number | null
  /** Requests that the client has not answered yet, by key. */
  readonly inputRequests?: Readonly<Record<string, InputRequest>> | undefined
  /** Answers of the client that the handler has not read yet, by key. */
  readonly answers?: Readonly<Record<string, unknown>> | undefined
  /** The result as a JSON string, if the status is `completed`. */
  readonly result?: string | undefined
  /** The error, if the status is `failed`. */
  readonly error?: TaskError | undefined
}

export type TaskEnd =
  | { readonly status: 'completed'; readonly result: string }
  | { readonly status: 'failed'; readonly error: TaskError; readonly statusMessage?: string }
  | { readonly status: 'cancelled'; readonly statusMessage: string }

/** Returns the caller whose limits a task counts toward; `null` without authentication. */
export function callerOfTask({ caller, owner }: Task): string | null {
  return caller ?? owner
}

export function isOver({ status }: Task): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled'
}

/**
 * Adds client requests to a task.
 *
 * @param isAwaited Whether the handler still waits for the answer with this key. Answers with other keys are dropped.
 */
export function withClientRequests(
  { answers = {}, ...task }: Task,
  clientRequests: Readonly<Record<string, InputRequest>>,
  isAwaited: (key: string) => boolean,
): Task {
  const awaited = Object.entries(answers).filter(([key]) => isAwaited(key))
  return {
    ...task,
    status: 'input_required',
    inputRequests: { ...task.inputRequests, ...clientRequests },
    answers: awaited.length > 0 ? Object.fromEntries(awaited) : undefined,
  }
}

export function withAnswers(task: Task, given: Readonly<Record<string, unknown>>): Task {
  const { inputRequests = {}, answers } = task
  const answered = Object.keys(inputRequests).filter((key) => Object.hasOwn(given, key))
  if (answered.length === 0) return task
  const open = Object.entries(inputRequests).filter(([key]) => !answered.includes(key))
  return {
    ...task,
    status: open.length > 0 ? 'input_required' : 'working',
    inputRequests: open.length > 0 ? Object.fromEntries(open) : undefined,
    answers: { ...answers, ...Object.fromEntries(answered.map((key) => [key, given[key]])) },
  }
}

export function withProgress(task: Task, statusMessage: string): Task {
  return isOver(task) ? task : { ...task, statusMessage }
}

export function withEnd(task: Task, end: TaskEnd): Task {
  return { ...task, statusMessage: undefined, inputRequests: undefined, answers: undefined, ...end }
}
