import type { HostOptions } from 'toolwright'
import type { DevParts, DevStores } from 'toolwright/dev'
import { printCalls } from './call-lines.js'
import { createLogger, logReadably } from './dev-logger.js'
import type { Terminal } from './terminal.js'

export interface Additions {
  readonly parts: DevParts
  readonly stores: DevStores
  readonly key: Uint8Array
  readonly terminal: Terminal
  readonly stream: NodeJS.WriteStream
  readonly isStdio: boolean
}

/** Maximum milliseconds to wait for the calls of a replaced version. */
export const drainMs = 300_000

/** Milliseconds after which legacy clients reconnect when a replaced version has ended their stream. */
const retryMs = 50

/**
 * Extends the options of a program for `toolwright dev`: with stores that outlive the server, a hook that prints calls, and
 * a readable log. Options of the program take precedence. Invalid options are kept, so that boot reports them.
 */
export function extendOptions(given: HostOptions, additions: Additions): HostOptions {
  return { ...extendPlugin(given, additions), ...logging(given, additions) }
}

export function extendPlugin<Options extends HostOptions>(
  given: Options,
  { parts, stores, key, terminal }: Pick<Additions, 'parts' | 'stores' | 'key' | 'terminal'>,
): Options {
  const { tasks, ...others } = stores
  return {
    retryMs,
    ...others,
    ...given,
    tasks: merge(tasks, given.tasks),
    requestState: merge({ keys: [key] }, given.requestState),
    ...printing(given, terminal, parts),
  }
}

export function printing(given: HostOptions, terminal: Terminal, parts: DevParts): Pick<HostOptions, 'hooks'> {
  return { hooks: prepend(printCalls(terminal, parts.failureKindOf), given.hooks) }
}

function merge<Value extends object>(defaults: Value, given: Value | undefined): Value {
  const isObject = typeof given === 'object' && given !== null
  return given === undefined || isObject ? { ...defaults, ...given } : given
}

function prepend<Value>(value: Value, given: readonly Value[] | undefined): readonly Value[] {
  return given === undefined || Array.isArray(given) ? [value, ...(given ?? [])] : given
}

function logging(given: HostOptions, { stream, terminal, isStdio }: Additions): Partial<HostOptions> {
  const drainTimeoutMs = given.drainTimeoutMs ?? drainMs
  if (!isStdio) return { drainTimeoutMs, fastify: logReadably(given.fastify, stream, terminal) }
  // Only over stdio: `serve` passes this option to the server. Over HTTP, `serve` has no option `logger`.
  return { logger: createLogger(given.name, stream, terminal) } as Partial<HostOptions>
}
