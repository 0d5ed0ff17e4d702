import type { JsonObject } from '../rpc/messages.js'
import type { RequestHeaders } from './mcp-context.js'
import type { Principal } from './principal.js'

/** Transports that the option `transports` can name. Streamable HTTP, HTTP+SSE and plain JSON-RPC are all `http`. */
export const transportNames = ['stdio', 'http', 'websocket', 'in-process'] as const

/** A transport. `in-process` means clients in the same process, and calls such as `server.callTool`. */
export type TransportName = (typeof transportNames)[number]

export const networkTransports: readonly TransportName[] = ['http', 'websocket']

/** A caller and its transport, such as those of a session: they outlive a request. */
export interface Recipient {
  readonly principal: Principal | null
  /**
   * `null`: a transport without a name, such as a custom transport. Such a transport does not serve features with the option
   * `transports`.
   */
  readonly transport: TransportName | null
}

/** The caller of one request: determines which features the caller sees. Create a new object for each request. */
export interface Viewer extends Recipient {
  /** Headers of the HTTP request, or of the WebSocket upgrade; `null` on transports without headers. */
  readonly headers: RequestHeaders | null
  /** The request's `_meta`, as sent by the client. */
  readonly meta: JsonObject
}

/** Decides whether a feature is shown to a caller. Must be synchronous. */
export type EnabledFunction = (viewer: Viewer) => boolean

export function isServedOver(transports: readonly TransportName[] | null, transport: Recipient['transport']): boolean {
  return transports === null || (transport !== null && transports.includes(transport))
}

export function isServedOverAny(transports: readonly TransportName[] | null, some: readonly TransportName[]): boolean {
  return some.some((transport) => isServedOver(transports, transport))
}
