import { setTimeout as sleep } from 'node:timers/promises'
import {
  type CallToolResult,
  type Client,
  type ElicitRequest,
  type ElicitResult,
  type JSONRPCMessage,
  SdkError,
  SdkErrorCode,
  type StandardSchemaV1,
  type Transport,
} from '@modelcontextprotocol/client'
import { CommandError } from '../command-error.js'
import { oneLine } from '../terminal.js'
import { isSchema } from './schema-types.js'

/** The extension that a client declares to be given tasks. */
export const tasksExtension = 'io.modelcontextprotocol/tasks'

/** A task as servers describe it. */
interface TaskState {
  readonly taskId: string
  readonly status: string
  readonly statusMessage?: string
  readonly pollIntervalMs?: number
  readonly inputRequests?: Readonly<Record<string, unknown>>
  readonly result?: unknown
  readonly error?: unknown
}

export interface TaskHandlers {
  /** Called with each new state. */
  readonly onState: (text: string) => void
  readonly answer: (request: ElicitRequest) => Promise<ElicitResult>
  readonly signal: AbortSignal
}

/** The official client has no tasks: it rejects a call that became a task, and does not pass on the id. */
export class TaskWatcher {
  #created: TaskState | null = null

  constructor(
    private readonly client: Client,
    transport: Transport,
  ) {
    const { onmessage } = transport
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport has no listeners
    transport.onmessage = (message: JSONRPCMessage, ...more) => {
      if ('result' in message && isTask(message.result)) this.#created = message.result
      onmessage?.(message, ...more)
    }
  }

  /** Whether an error of a call means that it became a task. */
  isTask(error: unknown): boolean {
    return SdkError.isInstance(error) && error.code === SdkErrorCode.UnsupportedResultType && this.#created !== null
  }

  /** Waits for the task that the last call became, and answers its questions. Cancels it if the signal aborts. */
  async wait(handlers: TaskHandlers): Promise<CallToolResult> {
    let task = this.#created as TaskState
    const { taskId } = task
    const answered = new Set<string>()
    handlers.onState(describe(task))
    /* oxlint-disable no-await-in-loop -- a state after the other */
    try {
      for (;;) {
        if (task.status === 'completed') return resultOf(task)
        if (task.status === 'failed') throw new CommandError(`The task failed: ${messageOf(task.error)}`)
        if (task.status === 'cancelled') throw new CommandError('The task was cancelled.')
        if (task.status === 'input_required') await this.#answer(task, answered, handlers)
        else
          await sleep(Math.min(10_000, Math.max(50, task.pollIntervalMs ?? 1000)), undefined, {
            signal: handlers.signal,
          })
        const next = await this.#request('tasks/get', { taskId }, handlers.signal)
        if (!isTask(next)) throw new CommandError('The server returned no state of the task.')
        if (next.status !== task.status || next.statusMessage !== task.statusMessage) handlers.onState(describe(next))
        task = next
      }
    } catch (error) {
      if (handlers.signal.aborted) await this.#request('tasks/cancel', { taskId }).catch(() => undefined)
      throw error
    }
    /* oxlint-enable no-await-in-loop */
  }

  async #answer(
    { taskId, inputRequests = {} }: TaskState,
    answered: Set<string>,
    handlers: TaskHandlers,
  ): Promise<void> {
    const inputResponses: Record<string, unknown> = {}
    for (const [key, request] of Object.entries(inputRequests)) {
      if (answered.has(key)) continue
      answered.add(key)
      const { method } = isSchema(request) ? request : {}
      // oxlint-disable-next-line no-await-in-loop -- one question after the other
      if (method === 'elicitation/create') inputResponses[key] = await handlers.answer(request as ElicitRequest)
      else throw new CommandError(`The task asks for ${oneLine(String(method))}, which this command does not support.`)
    }
    if (Object.keys(inputResponses).length > 0)
      await this.#request('tasks/update', { taskId, inputResponses }, handlers.signal)
  }

  #request(method: string, params: Record<string, unknown>, signal?: AbortSignal): Promise<unknown> {
    return this.client.request({ method, params }, anything, signal === undefined ? {} : { signal })
  }
}

/** A schema for the results of methods that the client has no schema for. */
const anything: StandardSchemaV1<unknown> = {
  '~standard': { version: 1, vendor: 'toolwright', validate: (value) => ({ value }) },
}

function resultOf({ result }: TaskState): CallToolResult {
  if (isSchema(result) && Array.isArray(result['content'])) return result as CallToolResult
  throw new CommandError('The task completed, but its result is not the result of a tool.')
}

function isTask(value: unknown): value is TaskState {
  return isSchema(value) && typeof value['taskId'] === 'string' && typeof value['status'] === 'string'
}

function describe({ status, statusMessage = '' }: TaskState): string {
  return ['Task', status.replaceAll('_', ' '), ...(statusMessage === '' ? [] : [statusMessage])].map(oneLine).join(' ')
}

function messageOf(error: unknown): string {
  const message = isSchema(error) ? error['message'] : undefined
  return typeof message === 'string' ? oneLine(message) : 'without a message'
}
