// Watches a client of a program, whose server is in another process.
import type { JSONRPCMessage } from '@modelcontextprotocol/client'
import { frames } from './frames.js'

/** The common interface of the transports of both official clients. */
interface Transport {
  onmessage?: ((message: JSONRPCMessage, extra?: never) => void) | undefined
  send(message: JSONRPCMessage, options?: never): Promise<void>
}

interface Message {
  readonly id?: string | number
  readonly method?: string
  readonly params?: { readonly _meta?: { readonly 'io.modelcontextprotocol/protocolVersion'?: string } }
  readonly result?: { readonly protocolVersion?: string }
}

/** Validates every frame that passes a transport. Call it before the client connects. */
export function watchTransport(transport: object, onReceived: (message: JSONRPCMessage) => void = () => undefined) {
  const watched = transport as Transport
  const send = watched.send.bind(watched)
  const requests = new Map<unknown, string>()
  const seen = new WeakSet<JSONRPCMessage>()
  let version = '2025-11-25'

  watched.send = (message, options) => {
    const { id, method, params } = message as Message
    version = params?._meta?.['io.modelcontextprotocol/protocolVersion'] ?? version
    if (id !== undefined && method !== undefined) requests.set(id, JSON.stringify(message))
    return send(message, options)
  }
  const receive = (message: JSONRPCMessage): void => {
    // A client may wrap an existing listener, including this one.
    if (seen.has(message)) return
    seen.add(message)
    onReceived(message)
    const { id, method, result } = message as Message
    version = result?.protocolVersion ?? version
    const request = requests.get(id)
    if (method !== undefined) frames.sent(version, JSON.stringify(message))
    else if (request !== undefined) frames.exchanged(version, request, JSON.stringify(message))
  }
  return {
    async connect<Connecting extends object>(client: { connect(transport: Connecting): Promise<void> }): Promise<void> {
      // The client sets its own listener while it connects: this listener always runs first.
      let listener = watched.onmessage
      Object.defineProperty(watched, 'onmessage', {
        get: () => listener,
        set: (next: Transport['onmessage']) => {
          listener = (message, extra) => {
            receive(message)
            next?.(message, extra)
          }
        },
      })
      await client.connect(transport as Connecting)
    },
  }
}
