import { longestTimer } from '@toolwright/core/internal'
import closeWithGrace from 'close-with-grace'
import type { FastifyInstance } from 'fastify'

export interface SignalOptions {
  /** Milliseconds that the host takes at most for its calls; what it closes besides gets some more. */
  readonly drainTimeoutMs: number
  /** Whether calls had to be cut. */
  readonly wasCut: () => boolean
}

/** Milliseconds after the calls' own, after which the process ends whatever still hangs. */
const graceMs = 400

/**
 * Closes the host and ends the process: with code 0 when every call finished, with 1 after a second signal, when calls
 * had to be cut, and after an exception that nobody caught.
 */
export function closeOnSignals(
  host: FastifyInstance,
  { drainTimeoutMs, wasCut }: SignalOptions,
): { uninstall(): void } {
  const delay = Math.min(drainTimeoutMs + graceMs, longestTimer)
  const strays = logStrayRejections(host)
  // What nobody waits for is handled apart: it says nothing about the state of the process.
  const signals = closeWithGrace({ delay, logger: host.log, skip: ['unhandledRejection'] }, async ({ err }) => {
    if (err !== undefined) host.log.fatal({ err }, 'closing after an exception that nobody caught')
    await host.close()
    if (wasCut()) throw new Error('calls were cut because closing took too long')
  })
  return {
    uninstall: () => {
      strays.uninstall()
      signals.uninstall()
    },
  }
}

/**
 * A promise of a tool's that nobody waits for, and that fails, would end the process and with it every other call. It
 * is logged and counted instead.
 */
function logStrayRejections({ log }: FastifyInstance): { uninstall(): void } {
  let count = 0
  const onStray = (reason: unknown): void => {
    count++
    log.error({ err: reason, strayRejections: count }, 'a promise was rejected that nobody waits for')
  }
  process.on('unhandledRejection', onStray)
  return { uninstall: () => process.off('unhandledRejection', onStray) }
}
