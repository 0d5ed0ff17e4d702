import type { Readable, Writable } from 'node:stream'
import { type JSONRPCMessage, ReadBuffer, serializeMessage, type Transport } from '@modelcontextprotocol/client'

/** Connects an official MCP client over a pair of streams, in the format of stdio: one message per line. */
export class StreamClientTransport implements Transport {
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
  onmessage?: ((message: JSONRPCMessage) => void) | undefined
  // No limit is needed here, because the server limits the size of messages.
  readonly #buffer = new ReadBuffer({ maxBufferSize: Number.POSITIVE_INFINITY })
  #isClosed = false

  /**
   * @param input Stream that the server writes to.
   * @param output Stream that the server reads from.
   */
  constructor(
    private readonly input: Readable,
    private readonly output: Writable,
  ) {}

  async start(): Promise<void> {
    const { input, output } = this
    input.on('data', (chunk: Buffer) => this.#receive(chunk))
    input.once('end', () => this.#closed())
    for (const stream of [input, output]) stream.on('error', (error) => this.onerror?.(error))
  }

  send(message: JSONRPCMessage): Promise<void> {
    return new Promise((resolve, reject) => {
      this.output.write(serializeMessage(message), (error) => (error ? reject(error) : resolve()))
    })
  }

  /** Ends the server's input, which stops the server. */
  async close(): Promise<void> {
    this.output.end()
    this.#closed()
  }

  #receive(chunk: Buffer): void {
    this.#buffer.append(chunk)
    while (true) {
      try {
        const message = this.#buffer.readMessage()
        if (message === null) return
        this.onmessage?.(message)
      } catch (error) {
        this.onerror?.(error as Error)
      }
    }
  }

  #closed(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.onclose?.()
  }
}
