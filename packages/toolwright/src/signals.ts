import { longestTimer } from '@toolwright/core/options'
import { logFailure } from '@toolwright/core/transport'
import closeWithGrace from 'close-with-grace'
import type { FastifyBaseLogger } from 'fastify'

/** What a program serves, and closes before it ends. */
interface Service {
  readonly log: Pick<FastifyBaseLogger, 'info' | 'error' | 'fatal'>
  /** Milliseconds that it takes at most for its calls; what it closes besides gets some more. */
  readonly drainTimeoutMs: number
  close(): Promise<unknown>
}

/** Milliseconds after the calls' own, after which the process ends whatever still hangs. */
const graceMs = 400

/**
 * Signals that close-with-grace would listen to as well. A fault of native code comes again as soon as its listener was
 * called: the process would neither end nor answer. SIGUSR2 is what Node writes its reports and heap snapshots on.
 */
const notOurs = ['SIGILL', 'SIGTRAP', 'SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGSEGV', 'SIGUSR2'] as const

/** All of the process, which ends when each of them is closed. */
const services = new Set<Service>()

/** Unset while there are none: a program that closes them itself ends as if they had never been. */
let stopWatching: (() => void) | null = null
let isEnding = false
let strayCount = 0

/**
 * Closes the service on a signal and after an exception that nobody caught, with all others of the process, and then
 * ends the process: with the exit code that was set (see {@link failProcess}), or 0. A second signal ends it at once.
 *
 * @returns To be called when the service is closed otherwise.
 */
export function closeOnSignals(service: Service): () => void {
  services.add(service)
  stopWatching ??= watchProcess()
  return () => {
    // Until the very end, signals and errors are heard.
    if (isEnding) return
    services.delete(service)
    if (services.size > 0) return
    stopWatching?.()
    stopWatching = null
  }
}

/** The process is to end with code 1, unless the program has set another one. */
export function failProcess(): void {
  process.exitCode ||= 1
}

function watchProcess(): () => void {
  // Errors are handled apart: a second one is no reason to cut what the first has left.
  const signals = closeWithGrace(
    {
      delay: false,
      logger: false,
      skip: [...notOurs, 'uncaughtException', 'unhandledRejection', 'beforeExit'],
      onSecondSignal: (signal) => tellAll((log) => log.error(`second ${signal}: the process ends at once`)),
    },
    endProcess,
  )
  const onException = (error: unknown): void => {
    failProcess()
    const message = isEnding ? 'another uncaught exception, while closing' : 'uncaught exception: closing'
    tellAll((log) => logFailure({ error: log.fatal.bind(log) }, error, {}, message))
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
 * A promise of a tool's that nobody waits for, and that fails, would end the process and with it every other call. It
 * is logged and counted instead: it says nothing about the state of the process.
 */
function onStray(reason: unknown): void {
  const strayRejections = ++strayCount
  tellAll((log) =>
    logFailure(log, reason, { strayRejections }, 'unhandled rejection: a promise failed that nothing awaits'),
  )
}

/** Whose it is, nobody knows. */
function tellAll(tell: (log: Service['log']) => void): void {
  for (const { log } of services) tell(log)
}

async function endProcess({ signal }: { readonly signal?: string }): Promise<void> {
  isEnding = true
  // Else nothing would tell a process that was asked to end from one that was killed.
  if (signal !== undefined) tellAll((log) => log.info(`${signal}: closing`))
  const all = [...services]
  const drainTimeoutMs = Math.max(...all.map((service) => service.drainTimeoutMs))
  setTimeout(endAtOnce, Math.min(drainTimeoutMs + graceMs, longestTimer))
  await Promise.all(all.map(close))
  process.exit()
}

function endAtOnce(): void {
  tellAll((log) => log.error('closing took too long: the process ends'))
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
