import { type Caller, completePrincipal } from '../context/principal.js'
import { whenExpired } from '../context/when-expired.js'
import { logFailure } from '../errors/log-failure.js'
import { runFenced } from '../errors/run-fenced.js'
import type { McpServer } from '../server/mcp-server.js'
import { runningServer } from '../server/mcp-server-instance.js'
import { Connection } from './connection.js'

export interface InMemoryOptions {
  /** Called with each message that the server sends, already parsed. */
  readonly onMessage: (message: unknown) => void
  /** The caller of all requests. Default: unauthenticated. */
  readonly principal?: Caller | null | undefined
}

/** The client's end of an in-memory connection. */
export interface InMemoryClient {
  /** Sends one JSON-RPC message, or a batch. */
  send(message: unknown): void
  /** Cancels all requests in flight, and resolves when they have ended. */
  close(): Promise<void>
}

/** Connects a client in the same process. Messages are sent as JSON, as on other transports. */
export function connectInMemory(server: McpServer, { onMessage, principal }: InMemoryOptions): InMemoryClient {
  let isOpen = true
  const { log } = runningServer(server)
  const logThrown = (error: unknown): void => logFailure(log, error, {}, 'onMessage of an in-memory client failed')
  const deliver = (json: string): void => {
    // As with network transports, `onMessage` is called asynchronously, and never within a call of the client's `send`.
    // Not `queueMicrotask`, which the fake timers of test runners replace.
    void Promise.resolve().then(() => (isOpen ? runFenced(() => onMessage(JSON.parse(json)), logThrown) : undefined))
  }
  const client = completePrincipal(principal ?? null)
  const connection = new Connection(runningServer(server), deliver, client, { transport: 'in-process' })
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
