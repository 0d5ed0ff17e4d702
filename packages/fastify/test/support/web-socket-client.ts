// A WebSocket client whose messages are read one by one.
import { once } from 'node:events'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { type ClientOptions, WebSocket } from 'ws'
import { type Message } from '../../../../test/support/client/index.js'

// oxlint-disable-next-line typescript/no-explicit-any
type AnyMessage = any

export class SocketClient {
  readonly #arrived: AnyMessage[] = []
  readonly #expecting: ((message: AnyMessage) => void)[] = []
  /** Code and reason of the close frame. */
  readonly closed: Promise<readonly [code: number, reason: string]>

  constructor(readonly socket: WebSocket) {
    socket.on('message', (data: Buffer) => {
      const message: AnyMessage = JSON.parse(data.toString())
      const next = this.#expecting.shift()
      if (next === undefined) this.#arrived.push(message)
      else next(message)
    })
    socket.on('error', () => undefined)
    this.closed = new Promise((resolve) => {
      socket.once('close', (code, reason) => resolve([code, String(reason)]))
    })
  }

  send(message: Message | string | Buffer): void {
    this.socket.send(typeof message === 'string' || Buffer.isBuffer(message) ? message : JSON.stringify(message))
  }

  next(): Promise<AnyMessage> {
    if (this.#arrived.length > 0) return Promise.resolve(this.#arrived.shift())
    return new Promise((resolve) => this.#expecting.push(resolve))
  }

  request(message: Message): Promise<AnyMessage> {
    this.send(message)
    return this.next()
  }
}

/** @throws Error with the status of a rejected upgrade. */
export async function openSocket(port: number, path = '/ws', options: ClientOptions = {}): Promise<SocketClient> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, 'mcp', options)
  const client = new SocketClient(socket)
  await once(socket, 'open')
  return client
}

/** For the official client. */
export class SocketTransport implements Transport {
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
  onmessage?: ((message: JSONRPCMessage) => void) | undefined
  readonly #socket: WebSocket

  constructor(port: number) {
    this.#socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, 'mcp')
  }

  async start(): Promise<void> {
    this.#socket.on('message', (data: Buffer) => this.onmessage?.(JSON.parse(data.toString()) as JSONRPCMessage))
    this.#socket.on('close', () => this.onclose?.())
    await once(this.#socket, 'open')
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.#socket.send(JSON.stringify(message))
  }

  async close(): Promise<void> {
    this.#socket.close()
  }
}
