import { addAbortSignal, type Readable, type Writable } from 'node:stream'
import { type Caller, completePrincipal } from '../context/principal.js'
import { whenExpired } from '../context/when-expired.js'
import { logFailure } from '../errors/log-failure.js'
import { createServer } from '../server/create-server.js'
import type { McpServer } from '../server/mcp-server.js'
import type { ServerOptions } from '../server/options.js'
import { isServer, type RunningServer, runningServer } from '../server/running-server.js'
import { describeUnreachable } from '../server/unreachable-features.js'
import { startLongTimer } from '../timing/long-timer.js'
import { TimeoutError, withTimeout } from '../timing/with-timeout.js'
import { Connection } from './connection.js'
import { InputReader } from './input-reader.js'
import { LineWriter } from './line-writer.js'
import { claimStdout } from './stdout.js'

/** Milliseconds that a client gets at least to read its last answers. */
const flushMs = 200

/** Milliseconds after the calls' own, for what is closed with the server. */
const closeMs = 400

/** How one client is served over a pair of streams. */
export interface StdioOptions {
  /** Default: `process.stdin`. */
  readonly input?: Readable
  /** Default: `process.stdout`, which then carries nothing else: what other code writes to it goes to stderr. */
  readonly output?: Writable
  /** Who the client is, as the program that starts the server knows. Default: nobody. */
  readonly principal?: Caller | null | undefined
  /** Milliseconds that calls in flight get to finish when the input ends. Default: 1,000. */
  readonly drainMs?: number
  /** Called when that was not enough, before what is left is cut. */
  readonly onDrainTimeout?: () => void
  /** Ends the service as the end of the input does. So does an `output` that fails or closes. */
  readonly signal?: AbortSignal
}

/**
 * Serves one client over stdio: a JSON-RPC message per line. Resolves when the input has ended and every call is done;
 * on the process's own stdin it then ends the process with code 0, as the spec asks, or with the one that was set.
 *
 * @throws BootError that lists every mistake found. What the input failed with, once that has ended the service, too.
 */
export async function serveStdio(
  serverOrOptions: ServerOptions | McpServer,
  options: StdioOptions = {},
): Promise<void> {
  if (options.output !== undefined) return serveOver(serverOrOptions, options, options.output)
  // First of all: a module that logs while it loads must not break the stream either.
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
  const server = runningServer(isServer(serverOrOptions) ? serverOrOptions : await createServer(serverOrOptions))
  if (client === null) warnOfClosed(server)
  const lines = new LineWriter(output, server.limits.maxBufferedBytes)
  const connection = new Connection(server, (json) => lines.send(json), client, {
    notify: (json) => lines.notify(json),
  })
  const expired = new AbortController()
  const stopWaiting = whenExpired(client, () => void expire(connection, expired, server))
  const ending = AbortSignal.any([endOf(output, signal), expired.signal])
  addAbortSignal(ending, input)
  const endsProcess = input === process.stdin
  try {
    await new InputReader(server, connection, lines).readAll(input, ending)
  } catch (error) {
    if (!ending.aborted) {
      connection.gone('the input failed')
      throw error
    }
  } finally {
    stopWaiting()
    const deadline = performance.now() + drainMs
    const tell = (): void => tellOfCut(onDrainTimeout, server)
    const isDrained = await drain(connection, drainMs, tell)
    // A server that was given may serve others as well, unless nothing outlives this client.
    let isClosed = true
    if (endsProcess) isClosed = await closesWithin(deadline - performance.now() + closeMs, server)
    else if (server !== serverOrOptions) await server.close()
    const isWritten = await lines.flushed(Math.max(deadline - performance.now(), flushMs))
    if (isDrained && !(isClosed && isWritten)) tell()
  }
  if (endsProcess) process.exit()
}

/** Aborts when the service is to end, or when its output is closed. */
function endOf(output: Writable, signal: AbortSignal | undefined): AbortSignal {
  const unread = new AbortController()
  for (const event of ['error', 'close']) output.on(event, () => unread.abort())
  return signal === undefined ? unread.signal : AbortSignal.any([signal, unread.signal])
}

/** As the end of the input, once what runs is answered: its client has to be started again with other credentials. */
async function expire(connection: Connection, expired: AbortController, { log }: McpServer): Promise<void> {
  log.info('the credentials of the client have expired: the service ends')
  await connection.expire()
  expired.abort()
}

/** Servers that were warned of. One can have many clients. */
const warned = new WeakSet<McpServer>()

/** A program may have an authentication: it is that of HTTP, and says nothing of this client. */
function warnOfClosed(server: RunningServer): void {
  if (warned.has(server)) return
  warned.add(server)
  const closed = describeUnreachable(server, 'over stdio nobody is asked who they are')
  if (closed === null) return
  server.log.warn(`${closed}. Give serveStdio a principal, or put @AllowAnonymous() on what is for everybody`)
}

/** Lets short calls finish, tells the rest that nobody waits any more, and lets go of the client. @returns Whether all have finished. */
async function drain(connection: Connection, drainMs: number, tell: () => void): Promise<boolean> {
  let isCut = false
  const reason = 'the input ended'
  connection.closing()
  connection.inputEnded()
  const timer = startLongTimer(() => {
    isCut = true
    tell()
    connection.gone(reason)
  }, drainMs)
  await connection.idle()
  clearTimeout(timer)
  connection.gone(reason)
  return !isCut
}

/** As after a signal: a process whose client is gone does not wait for what never closes. @returns Whether it did. */
async function closesWithin(timeoutMs: number, server: RunningServer): Promise<boolean> {
  try {
    await withTimeout(server.close(), timeoutMs)
    return true
  } catch (error) {
    if (!(error instanceof TimeoutError)) throw error
    server.log.error('closing took too long: the process ends')
    return false
  }
}

/** What the program does then, and what becomes of it, keeps nothing from being cut. */
function tellOfCut(onDrainTimeout: (() => void) | undefined, { log }: McpServer): void {
  try {
    onDrainTimeout?.()
  } catch (error) {
    logFailure(log, error, {}, 'onDrainTimeout failed')
  }
}
