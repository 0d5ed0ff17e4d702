import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { type Caller, connectInMemory, type InMemoryClient, type McpServer } from '@toolwright/core'

/** Connects an official MCP client to a server in the same process, without a stream. */
export class InMemoryClientTransport implements Transport {
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
  onmessage?: ((message: JSONRPCMessage) => void) | undefined
  #connection: InMemoryClient | null = null

  /** @param principal Principal of the client, as a transport with authentication would set it. */
  constructor(
    private readonly server: McpServer,
    private readonly principal: Caller | null = null,
  ) {}

  async start(): Promise<void> {
    if (this.#connection !== null) throw new Error('The transport has been started before: create a new one.')
    const { server, principal } = this
    const onMessage = (message: unknown): void => this.onmessage?.(message as JSONRPCMessage)
    this.#connection = connectInMemory(server, { onMessage, principal })
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#connection === null) throw new Error('The transport has not been started, or has been closed.')
    this.#connection.send(message)
  }

  /** Cancels calls in flight, and resolves when all of them have ended. */
  async close(): Promise<void> {
    const connection = this.#connection
    if (connection === null) return
    this.#connection = null
    await connection.close()
    this.onclose?.()
  }
}
