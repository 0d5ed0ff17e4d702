import { addAbortSignal, type Readable, type Writable } from 'node:stream'
import type { Caller, McpServer } from '@toolwright/core'
import {
  completePrincipal,
  isServer,
  logFailure,
  startLongTimer,
  TimeoutError,
  tryLog,
  withTimeout,
} from '@toolwright/core/host'
import { Connection, runningServer, whenExpired } from '@toolwright/core/transport'
import { createServer } from '../create-server.js'
import type { ServerOptions } from '../options.js'
import { describeUnreachable } from '../unreachable-features.js'
import { InputReader, LineWriter } from './lines.js'
import { claimStdout } from './stdout.js'

/** Minimum time for the client to read the last responses, in milliseconds. */
const flushMs = 200

/** Timeout for closing the server's own resources, in milliseconds after the drain time. */
const closeMs = 400

export interface StdioOptions {
  /** Default: `process.stdin`. */
  readonly input?: Readable
  /** Default: `process.stdout`, reserved for protocol messages. Other output of the process is redirected to stderr. */
  readonly output?: Writable
  /** The caller, as set by the program that starts the server. Default: unauthenticated. */
  readonly principal?: Caller | null | undefined
  /** Milliseconds after the end of the input until calls in flight are cancelled. Default: 1,000. */
  readonly drainMs?: number
  /** Called if calls are still running after `drainMs`, before these calls are cancelled. */
  readonly onDrainTimeout?: () => void
  /** Ends the service, like the end of the input. An `output` that fails or closes has the same effect. */
  readonly signal?: AbortSignal
}

/**
 * Serves one client over stdio, with one JSON-RPC message per line. Resolves when the input has ended and every call is done.
 * With the process's own stdin, the process then exits with `process.exitCode`, or with code 0, as the spec requires.
 *
 * @throws BootError that lists every mistake. Rethrows the error of a failed input, after the service has ended.
 */
export async function serveStdio(
  serverOrOptions: ServerOptions | McpServer,
  options: StdioOptions = {},
): Promise<void> {
  if (options.output !== undefined) return serveOver(serverOrOptions, options, options.output)
  // Stdout is claimed first: a module that logs while it loads must not corrupt the protocol stream.
  const { output, release } = claimStdout()
  try {
    return await serveOver(serverOrOptions, options, output)
  } finally {
    release()
  }
}

async function serveOver(
  serverOrOptions: ServerOptions | McpServer,
  { input = process.stdin, drainMs = 1000, onDrainTimeout, principal, signal }: StdioOptions,
  output: Writable,
): Promise<void> {
  const client = completePrincipal(principal ?? null)
  const server = isServer(serverOrOptions) ? serverOrOptions : await createServer(serverOrOptions)
  if (client === null) warnOfUnreachable(server)
  const lines = new LineWriter(output, server.limits.maxBufferedBytes)
  const running = runningServer(server)
  const connection = new Connection(running, (json) => lines.send(json), client, {
    transport: 'stdio',
    notify: (json) => lines.notify(json),
  })
  const expired = new AbortController()
  const stopWaiting = whenExpired(client, () => void expire(connection, expired, server))
  const ending = AbortSignal.any([endOf(output, signal), expired.signal])
  addAbortSignal(ending, input)
  const endsProcess = input === process.stdin
  try {
    await new InputReader(running, connection, lines).readAll(input, ending)
  } catch (error) {
    if (!ending.aborted) {
      connection.gone('the input failed')
      throw error
    }
  } finally {
    stopWaiting()
    const deadline = performance.now() + drainMs
    const report = (): void => reportDrainTimeout(onDrainTimeout, server)
    const isDrained = await drain(connection, drainMs, report)
    // If the caller passed in a server, this server stays open for other clients, unless the process ends with this client.
    let isClosed = true
    if (endsProcess) isClosed = await closesWithin(deadline - performance.now() + closeMs, server)
    else if (server !== serverOrOptions) await server.close()
    const isWritten = await lines.flushed(Math.max(deadline - performance.now(), flushMs))
    if (isDrained && !(isClosed && isWritten)) report()
  }
  if (endsProcess) process.exit()
}

function endOf(output: Writable, signal: AbortSignal | undefined): AbortSignal {
  const unread = new AbortController()
  for (const event of ['error', 'close']) output.on(event, () => unread.abort())
  return signal === undefined ? unread.signal : AbortSignal.any([signal, unread.signal])
}

/** Ends the service after running calls are answered. The client has to restart the server with new credentials. */
async function expire(connection: Connection, expired: AbortController, { log }: McpServer): Promise<void> {
  tryLog(() => log.info('the credentials of the client have expired: the server stops'))
  await connection.expire()
  expired.abort()
}

/** Servers whose warning was logged. A server can have many clients, but logs the warning only one time. */
const warned = new WeakSet<McpServer>()

/** Warns of features that no client can use, because stdio does not authenticate callers. */
function warnOfUnreachable(server: McpServer): void {
  if (warned.has(server)) return
  warned.add(server)
  const unreachable = describeUnreachable(server, ['stdio'], 'stdio does not authenticate callers')
  if (unreachable === null) return
  const fix = 'Pass a principal to serveStdio, or put @AllowAnonymous() on public features'
  tryLog(() => server.log.warn(`${unreachable}. ${fix}. With serve, set \`stdio: { principal }\``))
}

/** Lets short calls finish, cancels the other calls, and disconnects the client. @returns Whether all calls have finished. */
async function drain(connection: Connection, drainMs: number, report: () => void): Promise<boolean> {
  let isCut = false
  const reason = 'the input ended'
  connection.closing()
  connection.inputEnded()
  const timer = startLongTimer(() => {
    isCut = true
    report()
    connection.gone(reason)
  }, drainMs)
  await connection.idle()
  clearTimeout(timer)
  connection.gone(reason)
  return !isCut
}

/** Closes the server. Waits only for `timeoutMs`, because a resource can hang. @returns Whether the server was closed. */
async function closesWithin(timeoutMs: number, server: McpServer): Promise<boolean> {
  try {
    await withTimeout(server.close(), timeoutMs)
    return true
  } catch (error) {
    if (!(error instanceof TimeoutError)) throw error
    tryLog(() => server.log.error('closing took too long: the process ends'))
    return false
  }
}

/** Calls `onDrainTimeout`. Errors of the callback are only logged, because shutdown must continue. */
function reportDrainTimeout(onDrainTimeout: (() => void) | undefined, { log }: McpServer): void {
  try {
    onDrainTimeout?.()
  } catch (error) {
    logFailure(log, error, {}, 'onDrainTimeout failed')
  }
}
