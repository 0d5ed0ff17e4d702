// Tasks that calls have started. The official client has no methods for them; its `request` sends any method.
import { type Signal, signal } from '@preact/signals'
import { type Connection, metaWithTasks, patience } from './connection.js'
import { askRequest } from './questions.js'
import type { EraName } from './settings.js'

export interface TaskState {
  readonly taskId: string
  readonly era: EraName
  /** Name of the tool. */
  readonly name: string
  readonly createdAt: Date
  readonly status: string
  readonly statusMessage: string
  readonly result: Readonly<Record<string, unknown>> | null
  readonly error: string
  /** Statuses since the start, with their times. */
  readonly history: readonly { readonly status: string; readonly at: Date }[]
  cancel(): void
}

/** The newest first. */
export const tasks = signal<readonly Signal<TaskState>[]>([])

const maxTasks = 100

interface TaskAnswer {
  readonly status: string
  readonly statusMessage?: string
  readonly pollIntervalMs?: number
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly message: string; readonly code: number }
  readonly inputRequests?: Readonly<Record<string, unknown>>
}

/** Polls a task until it ends, and answers its requests. `ended` resolves with the result of the call. */
export function followTask(
  connection: Connection,
  taskId: string,
  name: string,
  abort: AbortSignal,
): { readonly task: Signal<TaskState>; readonly ended: Promise<object> } {
  const cancel = (): void => void request(connection, 'tasks/cancel', { taskId }).catch(() => undefined)
  const createdAt = new Date()
  const task = signal<TaskState>({
    taskId,
    era: connection.era,
    name,
    createdAt,
    status: 'working',
    statusMessage: '',
    result: null,
    error: '',
    history: [{ status: 'working', at: createdAt }],
    cancel,
  })
  tasks.value = [task, ...tasks.value].slice(0, maxTasks)
  abort.addEventListener('abort', cancel, { once: true })
  return { task, ended: poll(connection, task, abort) }
}

async function poll(connection: Connection, task: Signal<TaskState>, abort: AbortSignal): Promise<object> {
  const { taskId } = task.value
  const answered = new Set<string>()
  for (;;) {
    // oxlint-disable no-await-in-loop
    const answer = (await request(connection, 'tasks/get', { taskId })) as TaskAnswer
    note(task, answer)
    if (answer.status === 'completed') return answer.result ?? {}
    if (answer.status === 'failed') throw new Error(answer.error?.message ?? 'The task failed')
    if (answer.status === 'cancelled') throw new Error('The task was cancelled')
    for (const [key, asked] of Object.entries(answer.inputRequests ?? {})) {
      if (answered.has(key)) continue
      answered.add(key)
      const response = await askRequest(connection.era, asked, abort).catch(() => ({ action: 'cancel' }))
      await request(connection, 'tasks/update', { taskId, inputResponses: { [key]: response } })
    }
    await new Promise((resolve) => setTimeout(resolve, Math.min(Math.max(answer.pollIntervalMs ?? 500, 100), 2000)))
    // oxlint-enable no-await-in-loop
  }
}

function note(task: Signal<TaskState>, answer: TaskAnswer): void {
  const { value } = task
  const isNew = value.status !== answer.status
  task.value = {
    ...value,
    status: answer.status,
    statusMessage: answer.statusMessage ?? '',
    result: answer.result ?? null,
    error: answer.error === undefined ? '' : `${answer.error.message} (${answer.error.code})`,
    history: isNew ? [...value.history, { status: answer.status, at: new Date() }] : value.history,
  }
}

const anyResult = {
  '~standard': { version: 1, vendor: 'toolwright', validate: (value: unknown) => ({ value }) },
} as const

function request({ client }: Connection, method: string, params: object): Promise<unknown> {
  if (client === null) return Promise.reject(new Error('Not connected'))
  return client.request({ method, params: { ...params, _meta: metaWithTasks } }, anyResult, patience)
}
