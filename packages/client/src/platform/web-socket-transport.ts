import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import type { Socket } from '@toolwright/streams/client'
import { ConnectionError } from '../errors.js'

/** Connects an official client over a WebSocket: each text frame is one message. */
export class WebSocketTransport implements Transport {
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
  onmessage?: ((message: JSONRPCMessage) => void) | undefined
  #socket: Socket | null = null
  #isClosed = false

  readonly #opening = new AbortController()

  constructor(private readonly open: (opening: AbortController) => Promise<Socket>) {}

  async start(): Promise<void> {
    const socket = await this.open(this.#opening)
    this.#socket = socket
    socket.addEventListener('message', ({ data }) => this.#receive(data))
    socket.addEventListener('error', ({ error }) => this.onerror?.(error as Error))
    socket.addEventListener('close', () => this.#closed())
    if (this.#isClosed) socket.close()
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#socket === null || this.#isClosed) throw new Error('Not connected')
    this.#socket.send(JSON.stringify(message))
  }

  async close(): Promise<void> {
    if (this.#socket === null) this.#opening.abort(new ConnectionError('The client closed the connection.'))
    else this.#socket.close(1000)
    this.#closed()
  }

  #receive(data: unknown): void {
    try {
      if (typeof data !== 'string') throw new Error('The server sent a binary message.')
      this.onmessage?.(JSON.parse(data) as JSONRPCMessage)
    } catch (error) {
      this.onerror?.(error as Error)
    }
  }

  #closed(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.onclose?.()
  }
}
