// Calls: one run is the same request in each era that is shown.
import {
  LOG_LEVEL_META_KEY,
  type RequestOptions,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
} from '@modelcontextprotocol/client'
import { type Signal, signal } from '@preact/signals'
import { activeEras, type Connection, connections, type LogMessage, metaWithTasks, patience } from './connection.js'
import { describeError } from './errors.js'
import { acceptsTasks, type EraName, logLevel } from './settings.js'
import { followTask, type TaskState } from './tasks.js'
import { latestChallenge, latestFrame } from './wire.js'

export interface Progress {
  readonly progress: number
  readonly total?: number | undefined
  readonly message?: string | undefined
}

export interface RunState {
  readonly status: 'running' | 'done' | 'failed' | 'cancelled'
  readonly progress: Progress | null
  readonly logs: readonly LogMessage[]
  readonly result: Readonly<Record<string, unknown>> | null
  readonly error: string
  readonly ms: number
  readonly task: Signal<TaskState> | null
  /** Frames of the run: after the first number, up to the second; open while it runs. */
  readonly from: number
  readonly to: number
}

export interface EraRun {
  readonly era: EraName
  readonly state: Signal<RunState>
  cancel(): void
}

export interface Run {
  readonly key: string
  readonly number: number
  readonly eras: readonly EraRun[]
}

export type Target =
  | { readonly kind: 'tool'; readonly name: string; readonly args: Readonly<Record<string, unknown>> }
  | { readonly kind: 'prompt'; readonly name: string; readonly args: Readonly<Record<string, string>> }
  | { readonly kind: 'resource'; readonly uri: string }

/** The last run of each feature. */
export const runs = signal<ReadonlyMap<string, Run>>(new Map())

let lastNumber = 0

/** Sends the request in each era that is shown. */
export function run(key: string, target: Target): Run {
  const started: Run = {
    key,
    number: ++lastNumber,
    eras: activeEras.value.map((era) => runIn(connections[era], target)),
  }
  runs.value = new Map(runs.value).set(key, started)
  return started
}

const maxLogs = 500

function runIn(connection: Connection, target: Target): EraRun {
  const { era } = connection
  const controller = new AbortController()
  const startedAt = performance.now()
  const state = signal<RunState>({
    status: 'running',
    progress: null,
    logs: [],
    result: null,
    error: '',
    ms: 0,
    task: null,
    from: latestFrame(),
    to: Infinity,
  })
  const update = (change: Partial<RunState>): void => {
    state.value = { ...state.value, ms: performance.now() - startedAt, ...change }
  }
  const listener = (message: LogMessage): void => {
    if (state.value.logs.length < maxLogs) update({ logs: [...state.value.logs, message] })
  }
  connection.logListeners.add(listener)
  const options: RequestOptions = {
    ...patience,
    signal: controller.signal,
    onprogress: ({ message, ...progress }) => update({ progress: { ...progress, message: inWords(message) } }),
  }
  sendInSession(connection, target, options)
    .catch((error: unknown) => {
      const taskId = createdTask(error, connection)
      if (taskId === null) throw error
      const name = target.kind === 'resource' ? target.uri : target.name
      const { task, ended } = followTask(connection, taskId, name, controller.signal)
      update({ task })
      return ended
    })
    .then(
      (result) => update({ status: 'done', result: result as RunState['result'] }),
      (error: unknown) =>
        update(
          controller.signal.aborted
            ? { status: 'cancelled', error: 'Cancelled' }
            : { status: 'failed', error: describeError(error, latestChallenge(era)) },
        ),
    )
    .finally(() => {
      connection.logListeners.delete(listener)
      update({ to: latestFrame(), ms: state.value.ms })
    })
  return { era, state, cancel: () => controller.abort('Cancelled by the user') }
}

/** Describes a question of the server. The client reports it as progress. */
function inWords(message: string | undefined): string | undefined {
  return message?.replace(
    /^Fulfilling input required by '[^']*' \(round (\d+)\)$/,
    'waiting for your answer to question $1',
  )
}

/** Opens another session if the server has restarted and no longer knows this one. */
async function sendInSession(connection: Connection, target: Target, options: RequestOptions): Promise<object> {
  try {
    return await send(connection, target, options)
  } catch (error) {
    if (connection.era !== 'legacy' || !SdkHttpError.isInstance(error) || error.status !== 404) throw error
    await connection.connect()
    return send(connection, target, options)
  }
}

async function send(connection: Connection, target: Target, options: RequestOptions): Promise<object> {
  const { client, era } = connection
  if (client === null) throw new Error(connection.error.value || 'Not connected')
  const _meta = await metaFor(connection)
  if (target.kind === 'tool')
    return client.callTool({ name: target.name, arguments: { ...target.args }, _meta }, options)
  if (target.kind === 'prompt')
    return client.getPrompt({ name: target.name, arguments: { ...target.args }, _meta }, options)
  const fresh = era === 'modern' ? ({ cacheMode: 'bypass' } as const) : {}
  return client.readResource({ uri: target.uri, _meta }, { ...options, ...fresh })
}

/** Asks for log messages: with the request in the modern era, for the session before. Declares tasks if they are accepted. */
async function metaFor(connection: Connection): Promise<Record<string, unknown>> {
  const level = logLevel.value as 'info' | 'off'
  if (connection.era === 'legacy') {
    await connection.setLogLevel(level)
    return {}
  }
  return {
    ...(level === 'off' ? {} : { [LOG_LEVEL_META_KEY]: level }),
    ...(connection.hasTasks && acceptsTasks.value === 'yes' ? metaWithTasks : {}),
  }
}

/** The official client has no methods for tasks, and rejects: the id is in the message. */
function createdTask(error: unknown, connection: Connection): string | null {
  if (!(error instanceof SdkError) || error.code !== SdkErrorCode.UnsupportedResultType) return null
  return connection.createdTasks.shift() ?? null
}
