import type { Principal } from './principal.js'

/** Transports that the option `transports` can name. Streamable HTTP, HTTP+SSE and plain JSON-RPC are all `http`. */
export const transportNames = ['stdio', 'http', 'websocket', 'in-process'] as const

/** A transport. `in-process` means clients in the same process, and calls such as `server.callTool`. */
export type TransportName = (typeof transportNames)[number]

/** Transports that other machines can reach. */
export const networkTransports: readonly TransportName[] = ['http', 'websocket']

/** A caller and its transport. Both determine which features the caller sees. */
export interface Viewer {
  readonly principal: Principal | null
  /**
   * `null`: a transport without a name, such as a custom transport. Such a transport does not serve features with the option
   * `transports`.
   */
  readonly transport: TransportName | null
}

/** Whether a feature is served over a transport. @param transports Transports of the feature; `null`: all transports. */
export function isServedOver(transports: readonly TransportName[] | null, transport: Viewer['transport']): boolean {
  return transports === null || (transport !== null && transports.includes(transport))
}

/** Whether a feature is served over at least one of the given transports. */
export function isServedOverAny(transports: readonly TransportName[] | null, some: readonly TransportName[]): boolean {
  return some.some((transport) => isServedOver(transports, transport))
}
