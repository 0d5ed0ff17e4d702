import type { InputRequest } from '../client-requests/client-request.js'
import type { JsonObject } from '../rpc/messages.js'

/** Once a task is `completed`, `failed` or `cancelled` it changes no more. */
export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'

/** The error of the protocol that a task ended with. */
export interface TaskError {
  /** Of JSON-RPC. */
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** All there is to know of a task: plain JSON, so that any store can hold it. Never changed, only replaced. */
export interface Task {
  /** Random: who knows it and is the owner may use the task. */
  readonly taskId: string
  /** Who made it: issuer, subject and client as one text; `null` when the transport authenticates nobody. */
  readonly owner: string | null
  /**
   * Whom it counts for where all share: issuer and subject as one text, whatever client it was made with. Tasks that were
   * kept before there was such a thing have none, and count for their owner.
   */
  readonly caller?: string | undefined
  readonly status: TaskStatus
  /** Why it was cancelled, for people. */
  readonly statusMessage?: string | undefined
  /** Milliseconds since 1970, as the other times. */
  readonly createdAt: number
  readonly lastUpdatedAt: number
  /** Milliseconds from `createdAt` on for which the task is kept; `null`: for ever. */
  readonly ttlMs: number | null
  /** Questions that the client has not answered, by key. */
  readonly inputRequests?: Readonly<Record<string, InputRequest>> | undefined
  /** What the client answered, by key, until the handler has taken it. */
  readonly answers?: JsonObject | undefined
  /** JSON text of the result, when `completed`. */
  readonly result?: string | undefined
  /** When `failed`. */
  readonly error?: TaskError | undefined
}

/** How a task ends. */
export type TaskEnd =
  | { readonly status: 'completed'; readonly result: string }
  | { readonly status: 'failed'; readonly error: TaskError }
  | { readonly status: 'cancelled'; readonly statusMessage: string }

/** `null`: for nobody who can be told apart. */
export function callerOfTask({ caller, owner }: Task): string | null {
  return caller ?? owner
}

export function isOver({ status }: Task): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled'
}

/**
 * Puts questions to the client on a task.
 *
 * @param isAwaited Whether the handler has yet to take the answer with this key. The others are dropped.
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

/** Takes the client's answers; those to questions that are not asked (any more) are ignored. */
export function withAnswers(task: Task, given: JsonObject): Task {
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

export function withEnd(task: Task, end: TaskEnd): Task {
  return { ...task, inputRequests: undefined, answers: undefined, ...end }
}
