import { type Logger, type LoggerOptions, pino } from 'pino'
import pretty from 'pino-pretty'
import type { HostOptions } from 'toolwright'
import type { Terminal } from './terminal.js'

/**
 * Returns options of Fastify whose log is readable on a terminal. The log has no lines for requests, because each call
 * is printed. A program's own logger or stream is left as it is.
 */
export function logReadably(
  given: HostOptions['fastify'],
  stream: NodeJS.WriteStream,
  terminal: Terminal,
): HostOptions['fastify'] {
  const { logger, loggerInstance } = given ?? {}
  if (loggerInstance !== undefined || logger === false) return given
  const options: LoggerOptions & { stream?: unknown; file?: unknown } = typeof logger === 'object' ? logger : {}
  if (options.stream !== undefined || options.file !== undefined || options.transport !== undefined) return given
  const output = terminal.isTerminal ? prettyStream(stream) : stream
  return { ...given, logger: { ...options, stream: withoutRequests(output) } as never }
}

function withoutRequests(stream: { write(line: string): unknown }): { write(line: string): void } {
  const write = (line: string): void => {
    if (!/"msg":"(?:incoming request|request completed)"/.test(line)) stream.write(line)
  }
  return { write }
}

export function createLogger(name: string, stream: NodeJS.WriteStream, terminal: Terminal): Logger {
  return pino({ name }, terminal.isTerminal ? prettyStream(stream) : stream)
}

const streams = new Map<NodeJS.WriteStream, ReturnType<typeof pretty>>()

/** Returns one stream for all loggers, because each stream registers a listener for the end of the process. */
function prettyStream(destination: NodeJS.WriteStream): ReturnType<typeof pretty> {
  const stream = streams.get(destination) ?? createPrettyStream(destination)
  streams.set(destination, stream)
  return stream
}

function createPrettyStream(destination: NodeJS.WriteStream): ReturnType<typeof pretty> {
  return pretty({ destination, colorize: destination.isTTY, ignore: 'pid,hostname,name', translateTime: 'HH:MM:ss' })
}
