import { type Caller, completePrincipal } from '../context/principal.js'
import { whenExpired } from '../context/when-expired.js'
import type { McpServer } from '../server/mcp-server.js'
import { runningServer } from '../server/running-server.js'
import { Connection } from './connection.js'

/** What a client in the same process is connected with. */
export interface InMemoryOptions {
  /** Called with each message that the server sends, parsed. */
  readonly onMessage: (message: unknown) => void
  /** Who the client is, as a transport that authenticates would have found out. Default: nobody. */
  readonly principal?: Caller | null | undefined
}

/** The client's end of a connection within the process. */
export interface InMemoryClient {
  /** Sends one JSON-RPC message, or a batch. */
  send(message: unknown): void
  /** Cancels what is in flight, and resolves when all of it has ended. */
  close(): Promise<void>
}

/** Connects a client in the same process. Messages pass as JSON, as on any other transport. */
export function connectInMemory(server: McpServer, { onMessage, principal }: InMemoryOptions): InMemoryClient {
  let isOpen = true
  const deliver = (json: string): void => {
    // Later, as a real transport would: never from inside the client's own `send`.
    queueMicrotask(() => {
      if (isOpen) onMessage(JSON.parse(json))
    })
  }
  const client = completePrincipal(principal ?? null)
  const connection = new Connection(runningServer(server), deliver, client)
  const stopWaiting = whenExpired(client, () => void connection.expire())
  return {
    send: (message) => {
      if (isOpen) connection.receive(JSON.parse(JSON.stringify(message)))
    },
    close: async () => {
      isOpen = false
      stopWaiting()
      connection.gone('the connection was closed')
      await connection.idle()
    },
  }
}
