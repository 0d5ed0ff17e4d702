import type {
  CallToolResult,
  Client,
  CreateMessageRequest,
  ElicitRequest,
  JSONRPCMessage,
  StandardSchemaV1,
} from '@modelcontextprotocol/client'
import type { Connection } from '../connection.js'
import { ClientError, ConnectionError, ServerError } from '../errors.js'
import type { HandlerContext, RequestOptions } from '../options.js'
import { delay } from '../timing.js'

export const tasksExtension = 'io.modelcontextprotocol/tasks'

/** State of a task, as the server describes it. */
export interface TaskState {
  readonly taskId: string
  readonly status: 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'
  readonly statusMessage?: string
  readonly pollIntervalMs?: number
}

interface DetailedTask extends TaskState {
  readonly inputRequests?: Readonly<Record<string, unknown>>
  readonly result?: unknown
  readonly error?: { readonly code?: unknown; readonly message?: unknown; readonly data?: unknown }
}

export type AnswerRequest = (
  method: string,
  params: ElicitRequest['params'] | CreateMessageRequest['params'],
  context: HandlerContext,
) => Promise<unknown>

const taskKey = 'toolwright/task'

/**
 * Wraps a task in a result that the official client accepts. The official client does not support tasks: it would reject
 * the task, and the id would be lost.
 */
export function wrapTask<Message extends JSONRPCMessage>(message: Message): Message {
  if (!('result' in message) || !isCreatedTask(message.result)) return message
  const { resultType: _type, _meta, ...task } = message.result as Record<string, unknown> & { _meta?: object }
  // `isError` is set, because the output schema is not checked for failed results.
  const result = { resultType: 'complete', content: [], isError: true, _meta: { ..._meta, [taskKey]: task } }
  return { ...message, result }
}

export function taskOf({ _meta }: CallToolResult): TaskState | null {
  const task = _meta?.[taskKey]
  return isTask(task) ? task : null
}

export interface TaskWait extends RequestOptions {
  readonly tool: string
  readonly onTask: ((state: TaskState) => void) | undefined
  readonly answer: AnswerRequest
}

/** Waits for the result of a task, and answers the requests of the server. Cancels the task if the signal aborts. */
export async function awaitTask(connection: Connection, created: TaskState, wait: TaskWait): Promise<CallToolResult> {
  const { tool, onTask, signal } = wait
  const { taskId } = created
  const answered = new Set<string>()
  const request = (method: string, params: object, options: RequestOptions): Promise<unknown> =>
    connection.request(`The task of '${tool}'`, options, (official, limits) => send(official, method, params, limits))
  let task: DetailedTask = created
  let failures = 0
  onTask?.(task)
  /* oxlint-disable no-await-in-loop -- a state after the other */
  try {
    for (let polls = 0; ; polls++) {
      if (task.status === 'completed') return resultOf(task, tool)
      if (task.status === 'failed') throw errorOf(task, tool)
      if (task.status === 'cancelled') throw new ClientError(`The task of '${tool}' was cancelled.`, 'task-cancelled')
      if (task.status === 'input_required') {
        const inputResponses = await answerAll(task, answered, wait)
        if (Object.keys(inputResponses).length > 0) await request('tasks/update', { taskId, inputResponses }, wait)
        else await pause(task, polls, signal)
      } else await pause(task, polls, signal)
      const next = await request('tasks/get', { taskId }, wait).catch((error: unknown) => {
        if (++failures === maxFailures || !isTransient(error)) throw error
        return null
      })
      if (next === null) continue
      failures = 0
      if (!isTask(next))
        throw new ClientError(`The server did not return the state of the task of '${tool}'.`, 'bad-task')
      if (next.status !== task.status || next.statusMessage !== task.statusMessage) onTask?.(next)
      task = next
    }
  } catch (error) {
    if (signal?.aborted === true) await request('tasks/cancel', { taskId }, { timeoutMs: 5000 }).catch(() => undefined)
    throw error
  }
  /* oxlint-enable no-await-in-loop */
}

/** Maximum number of polls that fail one after the other. */
const maxFailures = 5

/** Whether the next poll can succeed: the server was not reached, or was busy. The task continues meanwhile. */
function isTransient(error: unknown): boolean {
  if (error instanceof ConnectionError) return true
  return error instanceof ServerError && isObject(error.data) && 'retryAfterMs' in error.data
}

/**
 * Waits before the next poll. The server sets the interval, within limits. The first intervals are shorter, for tasks
 * that end quickly.
 */
function pause({ pollIntervalMs }: TaskState, polls: number, signal: AbortSignal | undefined): Promise<void> {
  const wanted = typeof pollIntervalMs === 'number' ? pollIntervalMs : 1000
  const interval = Math.min(10_000, Math.max(50, wanted))
  return delay(Math.min(interval, 50 * 4 ** polls), signal)
}

async function answerAll(
  { inputRequests }: DetailedTask,
  answered: Set<string>,
  { answer, signal = new AbortController().signal }: TaskWait,
): Promise<Record<string, unknown>> {
  const responses: Record<string, unknown> = {}
  for (const [key, request] of Object.entries(isObject(inputRequests) ? inputRequests : {})) {
    if (answered.has(key)) continue
    answered.add(key)
    if (!isObject(request)) throw new ClientError(`The request '${key}' of the task is not an object.`, 'bad-task')
    const { method, params } = request as { method: string; params: ElicitRequest['params'] }
    // oxlint-disable-next-line no-await-in-loop -- one question after the other
    responses[key] = await answer(method, params, { signal })
  }
  return responses
}

function send(official: Client, method: string, params: object, limits: object): Promise<unknown> {
  return official.request({ method, params: { ...params } }, anything, limits)
}

const anything: StandardSchemaV1<unknown> = {
  '~standard': { version: 1, vendor: 'toolwright', validate: (value) => ({ value }) },
}

function resultOf({ result }: DetailedTask, tool: string): CallToolResult {
  if (isObject(result) && Array.isArray(result['content'])) return result as CallToolResult
  throw new ClientError(`The task of '${tool}' completed, but its result is not the result of a tool.`, 'bad-task')
}

function errorOf({ error = {} }: DetailedTask, tool: string): ClientError {
  const { code, message, data } = error
  const text = typeof message === 'string' ? message : `The task of '${tool}' failed without a message.`
  return typeof code === 'number' ? new ServerError(text, code, data) : new ClientError(text, 'task-failed', data)
}

function isCreatedTask(value: unknown): boolean {
  return isTask(value) && (value as { resultType?: unknown }).resultType === 'task'
}

function isTask(value: unknown): value is DetailedTask {
  return isObject(value) && typeof value['taskId'] === 'string' && typeof value['status'] === 'string'
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
