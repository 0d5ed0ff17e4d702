import { ConnectionError, type McpClient, type RawResult } from '@toolwright/client'
import {
  type InputRequest,
  isJsonObject,
  type JsonObject,
  type McpContext,
  ProtocolError,
  ToolError,
} from '@toolwright/core'
import { textOf } from './json.js'
import type { Upstream } from './upstream.js'

export const tasksId = 'io.modelcontextprotocol/tasks'

/** Maximum number of polls that fail one after the other. */
const maxFailures = 5

/**
 * Waits for a task of an upstream, as a task of this server: progress, questions and cancellation are passed on. The call becomes
 * a task here only if the client of the caller supports tasks.
 */
export async function followTask(
  upstream: Upstream,
  client: McpClient,
  created: RawResult,
  context: McpContext,
  /** `_meta` of the requests about the task. */
  _meta: JsonObject,
): Promise<RawResult> {
  const taskId = textOf(created['taskId'])
  if (taskId === undefined) throw new ToolError(`The server '${upstream.name}' created a task without an id.`)
  await context.startTask()
  const { signal } = context
  const ask = (method: string, params: JsonObject): Promise<RawResult> =>
    client.request(method, { taskId, ...params, _meta }, { timeoutMs: upstream.options.timeoutMs, signal })
  const answered = new Set<string>()
  let task = created
  let polls = 0
  let failures = 0
  try {
    /* oxlint-disable no-await-in-loop -- one state after the other */
    for (;;) {
      const { status, statusMessage, result, inputRequests } = task
      if (status === 'completed' && isJsonObject(result)) return result
      if (status === 'failed') throw failureOf(task['error'])
      if (status === 'cancelled') throw new ToolError('The task was cancelled.')
      if (status !== 'working' && status !== 'input_required')
        throw new ToolError(`The server '${upstream.name}' sent a task that is not valid.`)
      if (typeof statusMessage === 'string') context.progress({ progress: polls + 1, message: statusMessage })
      const inputResponses = await answersTo(inputRequests, answered, context)
      if (inputResponses !== null) await ask('tasks/update', { inputResponses })
      else await pause(task['pollIntervalMs'], polls, signal)
      polls++
      const next = await ask('tasks/get', {}).catch((error: unknown) => {
        if (!(error instanceof ConnectionError) || ++failures === maxFailures) throw error
        return null
      })
      if (next === null) continue
      failures = 0
      task = next
    }
    /* oxlint-enable no-await-in-loop */
  } catch (error) {
    if (signal.aborted)
      await client.request('tasks/cancel', { taskId, _meta }, { timeoutMs: 5000 }).catch(() => undefined)
    throw error
  }
}

/** Asks the caller the new questions of a task. @returns The answers; `null` if there are no new questions. */
async function answersTo(
  inputRequests: unknown,
  answered: Set<string>,
  context: McpContext,
): Promise<JsonObject | null> {
  const asked = Object.entries(isJsonObject(inputRequests) ? inputRequests : {}).filter(([key]) => !answered.has(key))
  if (asked.length === 0) return null
  const answers = asked.map(async ([key, request]) => {
    answered.add(key)
    return [key, await context.askClient(request as InputRequest, { key })] as const
  })
  return Object.fromEntries(await Promise.all(answers))
}

/** A failed task has the error of the upstream: otherwise, the caller would get a completed task with a failed result. */
function failureOf(error: unknown): ProtocolError {
  const { message, data }: JsonObject = isJsonObject(error) ? error : {}
  return new ProtocolError(
    'internalError',
    textOf(message) ?? 'The task failed.',
    isJsonObject(data) ? data : undefined,
  )
}

/** Waits before the next poll, as long as the upstream wants, within limits. The first intervals are shorter. */
function pause(wanted: unknown, polls: number, signal: AbortSignal): Promise<void> {
  const interval = Math.min(10_000, Math.max(50, typeof wanted === 'number' ? wanted : 1000))
  return new Promise((resolve, reject) => {
    const timer = setTimeout(end, Math.min(interval, 50 * 4 ** polls))
    function end(): void {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      if (signal.aborted) reject(signal.reason as Error)
      else resolve()
    }
    signal.addEventListener('abort', end, { once: true })
  })
}
