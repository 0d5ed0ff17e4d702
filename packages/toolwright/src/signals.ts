import { logFailure, tryLog } from '@toolwright/core/host'
import { longestTimer } from '@toolwright/core/options'
import closeWithGrace from 'close-with-grace'
import type { FastifyBaseLogger } from 'fastify'

interface Service {
  readonly log: Pick<FastifyBaseLogger, 'info' | 'error' | 'fatal'>
  /** Maximum milliseconds that shutdown waits for calls of the service. */
  readonly drainTimeoutMs: number
  close(): Promise<unknown>
}

/** Milliseconds after the drain timeout at which the process exits in any case. */
const graceMs = 400

/**
 * Signals that close-with-grace must not handle. After a listener for a fault of native code, the same fault recurs at
 * once: the process would neither exit nor respond. On SIGUSR2, Node writes reports and heap snapshots.
 */
const notOurs = ['SIGILL', 'SIGTRAP', 'SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGSEGV', 'SIGUSR2'] as const

/** All services of the process. The process exits when all services are closed. */
const services = new Set<Service>()

/**
 * Removes the listeners for signals. `null` without services, so that a program that has closed all services itself
 * exits as usual.
 */
let stopWatching: (() => void) | null = null
let isEnding = false
let strayCount = 0

/**
 * Closes the service, and all other services of the process, on a signal or after an uncaught exception. Then the
 * process exits with the code that was set (see {@link failProcess}), or 0. A second signal ends the process at once.
 *
 * @returns Function to call when the service is closed for another reason.
 */
export function closeOnSignals(service: Service): () => void {
  services.add(service)
  stopWatching ??= watchProcess()
  return () => {
    // The handlers stay until the process exits.
    if (isEnding) return
    services.delete(service)
    if (services.size > 0) return
    stopWatching?.()
    stopWatching = null
  }
}

export function failProcess(): void {
  process.exitCode ||= 1
}

function watchProcess(): () => void {
  // Errors are handled separately: a second error must not abort the shutdown.
  const signals = closeWithGrace(
    {
      delay: false,
      logger: false,
      skip: [...notOurs, 'uncaughtException', 'unhandledRejection', 'beforeExit'],
      onSecondSignal: (signal) => logAll((log) => log.error(`second ${signal}: the process ends at once`)),
    },
    endProcess,
  )
  const onException = (error: unknown): void => {
    failProcess()
    const message = isEnding ? 'another uncaught exception, while closing' : 'uncaught exception: closing'
    logAll((log) => logFailure({ error: log.fatal.bind(log) }, error, {}, message))
    if (!isEnding) signals.close()
  }
  process.on('uncaughtException', onException)
  process.on('unhandledRejection', onStray)
  return () => {
    process.off('uncaughtException', onException)
    process.off('unhandledRejection', onStray)
    signals.uninstall()
  }
}

/**
 * Logs and counts an unhandled rejection. By default, Node would end the process, and all other calls would fail.
 * Unlike an uncaught exception, a rejection does not affect the state of the process.
 */
function onStray(reason: unknown): void {
  const strayRejections = ++strayCount
  logAll((log) =>
    logFailure(log, reason, { strayRejections }, 'unhandled rejection: a promise was rejected without a handler'),
  )
}

/** Logs to all services, because the origin is unknown. */
function logAll(write: (log: Service['log']) => void): void {
  for (const { log } of services) tryLog(() => write(log))
}

async function endProcess({ signal }: { readonly signal?: string }): Promise<void> {
  isEnding = true
  // This line distinguishes a requested exit from a killed process.
  if (signal !== undefined) logAll((log) => log.info(`${signal}: closing`))
  const all = [...services]
  const drainTimeoutMs = Math.max(...all.map((service) => service.drainTimeoutMs))
  setTimeout(endAtOnce, Math.min(drainTimeoutMs + graceMs, longestTimer))
  await Promise.all(all.map(close))
  process.exit()
}

function endAtOnce(): void {
  logAll((log) => log.error('closing took too long: the process ends'))
  process.exit(1)
}

async function close(service: Service): Promise<void> {
  try {
    await service.close()
  } catch (error) {
    failProcess()
    logFailure(service.log, error, {}, 'closing failed')
  }
}
