import {
  type InputSchema,
  McpTool,
  type OutputSchema,
  type ToolDecorator,
  type ToolOptions,
  UseHooks,
} from '@toolwright/core'
import { StreamHook } from '../server/stream-hook.js'
import { recordStream, type StreamKind, type StreamSettings } from './stream-settings.js'

/** Options of `@StreamTool`: those of a tool, and how it streams. */
export interface StreamToolOptions<
  Input extends InputSchema | undefined = InputSchema | undefined,
  Output extends OutputSchema | undefined = OutputSchema | undefined,
> extends Omit<ToolOptions<Input, Output>, 'task' | 'taskStart' | 'transports'> {
  readonly input?: Input
  readonly output?: Output
  /** Chunks of the stream: bytes (`binary`), or JSON values (`text`). Default: `binary`. */
  readonly stream?: StreamKind
  /**
   * Milliseconds for which the server waits for the client: for a chunk that the tool wants to read, or for a client that
   * does not read. `Infinity` for no limit. Default: that of `streams`, 30,000.
   */
  readonly idleTimeoutMs?: number
  /** Bytes that a stream may bring. `Infinity` for no limit. Default: that of `streams`, 1 GiB. */
  readonly maxBytes?: number
  /** Milliseconds that a stream may last. `Infinity` for no limit. Default: 1 h. */
  readonly timeoutMs?: number
}

const hour = 3_600_000

/** Member of a listed tool's `_meta` that has the kind of its stream. */
const metaKey = 'toolwright/stream'

/**
 * Serves a method as a tool that streams. The method gets a {@link ToolStream} beside its arguments and services:
 *
 * @example
 * @StreamTool({ stream: 'binary', input: Upload })
 * async upload({ folder }: Upload, stream: ToolStream, files: Files) {
 *   for await (const chunk of stream.readable) …
 * }
 *
 * Its options are those of `@McpTool`. The tool needs a WebSocket: give the server `extensions: [streams()]`, and its host
 * `webSocket: true`. Other transports do not list it. The value that the method returns is the summary of the stream.
 */
export function StreamTool<
  const Input extends InputSchema | undefined = undefined,
  const Output extends OutputSchema | undefined = undefined,
>(
  nameOrOptions: string | StreamToolOptions<Input, Output> = {},
  options: Omit<StreamToolOptions<Input, Output>, 'name'> = {},
): ToolDecorator<Input, Output> {
  const given = typeof nameOrOptions === 'string' ? { ...options, name: nameOrOptions } : nameOrOptions
  const { stream = 'binary', idleTimeoutMs, maxBytes, ...tool } = given
  const settings: StreamSettings = { kind: stream, idleTimeoutMs, maxBytes }
  const serve = McpTool<Input, Output>({
    ...tool,
    timeoutMs: tool.timeoutMs ?? hour,
    transports: ['websocket'],
    _meta: { ...tool._meta, [metaKey]: stream },
  })
  const guard = UseHooks(StreamHook)
  return (prototype, method, descriptor) => {
    checkSettings(`${prototype.constructor.name}.${String(method)}`, settings)
    recordStream(prototype, method, settings)
    guard(prototype, method, descriptor)
    serve(prototype, method, descriptor)
  }
}

/** @throws TypeError for an option that the compiler would have rejected. */
function checkSettings(origin: string, { kind, idleTimeoutMs = 1, maxBytes = 1 }: StreamSettings): void {
  if (kind !== 'binary' && kind !== 'text') {
    throw new TypeError(`${origin}: stream is '${String(kind)}'. Give 'binary' or 'text'.`)
  }
  for (const [name, value] of Object.entries({ idleTimeoutMs, maxBytes })) {
    if (typeof value === 'number' && value > 0) continue
    throw new TypeError(`${origin}: ${name} is ${String(value)}. Give a number above 0.`)
  }
}
