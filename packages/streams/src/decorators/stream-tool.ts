import {
  type InputSchema,
  McpTool,
  type OutputSchema,
  type ToolDecorator,
  type ToolOptions,
  UseHooks,
} from '@toolwright/core'
import {
  bytes,
  Diagnostics,
  isObject,
  milliseconds,
  oneOf,
  readOptions,
  recordDiagnostic,
} from '@toolwright/core/options'
import { StreamHook } from '../server/stream-hook.js'
import { recordStream, type StreamKind } from './stream-settings.js'

/** Options of `@StreamTool`: the options of a tool, and options of its stream. */
export interface StreamToolOptions<
  Input extends InputSchema | undefined = InputSchema | undefined,
  Output extends OutputSchema | undefined = OutputSchema | undefined,
> extends Omit<ToolOptions<Input, Output>, 'task' | 'taskStart' | 'transports'> {
  readonly input?: Input
  readonly output?: Output
  /** Chunks of the stream: bytes (`binary`), or JSON values (`text`). Default: `binary`. */
  readonly stream?: StreamKind
  /**
   * Maximum milliseconds that the server waits for the client to send the next chunk, or to read output. `Infinity` for
   * no limit. Default: the option of `streams`, 30,000.
   */
  readonly idleTimeoutMs?: number
  /** Maximum bytes that the tool receives on a stream. `Infinity` for no limit. Default: the option of `streams`, 1 GiB. */
  readonly maxBytes?: number
  /** Maximum duration of a stream in milliseconds. `Infinity` for no limit. Default: 1 h. */
  readonly timeoutMs?: number
}

const hour = 3_600_000

const metaKey = 'toolwright/stream'

/**
 * Serves a method as a tool that streams. The method gets a {@link ToolStream} beside its arguments and services:
 *
 * @example
 * @StreamTool({ stream: 'binary', input: Upload }) async upload({ folder }: Upload, stream: ToolStream, files: Files) {
 * for await (const chunk of stream.readable) … }
 *
 * See {@link StreamToolOptions} for the options. The tool needs a WebSocket: give the server `extensions: [streams()]`,
 * and its host `webSocket: true`. Other transports do not list the tool. The value that the method returns is the
 * summary of the stream.
 */
export function StreamTool<
  const Input extends InputSchema | undefined = undefined,
  const Output extends OutputSchema | undefined = undefined,
>(
  nameOrOptions: string | StreamToolOptions<Input, Output> = {},
  options?: Omit<StreamToolOptions<Input, Output>, 'name'>,
): ToolDecorator<Input, Output> {
  const given = typeof nameOrOptions === 'string' ? { ...options, name: nameOrOptions } : nameOrOptions
  // Without parentheses, the arguments are those of a method decorator. Other invalid forms are reported as for
  // `@McpTool`.
  if (isMethodName(options)) return reportUncalled(given, options) as never
  if (!isObject(given) || (given === nameOrOptions && options !== undefined)) return McpTool(given, options)
  const { stream = 'binary', idleTimeoutMs, maxBytes, ...tool } = given
  const serve = McpTool<Input, Output>({
    ...tool,
    timeoutMs: tool.timeoutMs ?? hour,
    transports: ['websocket'],
    _meta: { ...tool._meta, [metaKey]: stream },
  })
  const guard = UseHooks(StreamHook)
  return (prototype, method, descriptor) => {
    checkOptions(prototype, method, given)
    recordStream(prototype, method, { kind: stream, idleTimeoutMs, maxBytes })
    guard(prototype, method, descriptor)
    serve(prototype, method, descriptor)
  }
}

/** The options that `@McpTool` does not have. */
const streamOptions = { stream: oneOf(['binary', 'text']), idleTimeoutMs: milliseconds(), maxBytes: bytes() }

/** The options of `@McpTool` that a stream tool cannot have. */
const foreign = ['task', 'taskStart', 'transports']

function checkOptions(prototype: object, method: string | symbol, given: object): void {
  const origin = nameOf(prototype, method)
  const diagnostics = new Diagnostics()
  readOptions(streamOptions, given, `${origin}: `, diagnostics)
  for (const name of foreign.filter((each) => Object.hasOwn(given, each))) {
    diagnostics.add('bad-option', `${origin}: ${name} is not an option of @StreamTool. Remove it.`)
  }
  for (const diagnostic of diagnostics.found) recordDiagnostic(prototype, diagnostic)
}

function isMethodName(value: unknown): value is string | symbol {
  return typeof value === 'string' || typeof value === 'symbol'
}

function reportUncalled(prototype: object, method: string | symbol): void {
  const message = `@StreamTool on '${nameOf(prototype, method)}' has no parentheses. Write @StreamTool().`
  recordDiagnostic(prototype, { code: 'uncalled-decorator', message }, method)
}

function nameOf({ constructor }: object, method: string | symbol): string {
  return `${constructor.name}.${String(method)}`
}
