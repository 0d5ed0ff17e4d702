import { Inject, Lifecycle, McpContext, scoped, ToolError } from '@toolwright/core'
import { type Channel, channelOf, type OutputMeta } from './server/channels.js'
import type { StreamMeta } from './wire/messages.js'

/**
 * The stream of one call: bytes, or JSON values with `stream: 'text'`, in both directions. Inject this class as a
 * parameter of a method with `@StreamTool`.
 *
 * Both directions have backpressure: the client cannot send more than the tool reads, and a write waits until the
 * client reads. When the client aborts or disconnects, `readable` and `writable` fail, and `signal` aborts.
 *
 * @typeParam In Type of the chunks from the client. The chunks are not validated.
 * @typeParam Out Type of the chunks to the client.
 */
@scoped(Lifecycle.ContainerScoped)
export class ToolStream<In = Uint8Array, Out = In> {
  readonly #channel: Channel
  readonly #context: McpContext

  /** @throws ToolError in a call without a stream. */
  constructor(@Inject(McpContext) context: McpContext) {
    const channel = channelOf(context)
    if (channel === undefined) throw new ToolError('This call has no stream.')
    this.#channel = channel
    this.#context = context
  }

  /** Id of the stream, which the client has chosen. */
  get id(): string {
    return this.#channel.id
  }

  /** Description that the client sent: `name`, `mime`, `totalSize`. The server does not verify the description. */
  get meta(): StreamMeta {
    return this.#channel.meta
  }

  /** Chunks from the client. Ends when the client has sent everything. */
  get readable(): ReadableStream<In> {
    return this.#channel.readable as ReadableStream<In>
  }

  /** Chunks to the client. The stream is closed when the tool returns, unless the tool closes it earlier. */
  get writable(): WritableStream<Out> {
    return this.#channel.writable
  }

  /** Aborts when the client aborts or disconnects, and when a time limit ends the call. The same as `context.signal`. */
  get signal(): AbortSignal {
    return this.#context.signal
  }

  /**
   * Aborts when the server begins to close, or when the credentials of the caller have expired. After this, a tool with an
   * endless stream should return, because the server and the connection wait for it.
   */
  get closing(): AbortSignal {
    return this.#channel.closing
  }

  /**
   * Describes the output: `name`, `mime`, `totalSize`. The client gets the description before the first chunk.
   *
   * @throws Error if the first chunk was already sent.
   */
  describe(meta: OutputMeta): void {
    this.#channel.describe(meta)
  }
}
