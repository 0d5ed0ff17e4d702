import type { Logger } from 'pino'
import type { Catalog } from '../../catalog/catalog.js'
import type { RequestHeaders } from '../../context/mcp-context.js'
import type { Principal } from '../../context/principal.js'
import type { InFlight } from '../../limits/in-flight.js'
import type { Limits } from '../../limits/limits.js'
import type { SubscriptionQuota } from '../../limits/subscription-quota.js'
import type { Gauges } from '../../metrics/gauges.js'
import type { Exchange } from '../exchange.js'
import type { OfferedRevisions } from '../revisions.js'

/** The server, as an extension that serves WebSockets uses it. Calls of features go through `receive`. */
export interface ExtendedServer {
  readonly catalog: Catalog
  readonly gauges: Gauges
  readonly inFlight: InFlight
  readonly limits: Limits
  readonly log: Logger
  readonly subscriptionQuota: SubscriptionQuota
  /** Versions of the protocol that the server offers, newest first. */
  readonly offered: Pick<OfferedRevisions, 'modern' | 'legacy'>
  /** Serves a message, and answers its exchange. Never throws. */
  receive(exchange: Exchange): void
}

/** A WebSocket of a client. JSON-RPC and the extension share it. */
export interface ExtendedSocket {
  /** The caller, who was authenticated before the upgrade. */
  readonly principal: Principal | null
  /** Headers of the upgrade request. */
  readonly headers: RequestHeaders
  /** Network address of the client. */
  readonly address: string
  /** Bytes that wait until the client reads them. */
  readonly bufferedBytes: number
  /**
   * Sends a text frame or a binary frame. Disconnects a client whose buffer exceeds `limits.maxBufferedBytes`: compare
   * `bufferedBytes` before you send data.
   *
   * @param onSent Called when the frame has left the buffer. A frame for a closed WebSocket is dropped.
   */
  send(frame: string | Uint8Array, onSent?: () => void): void
  /** Stops reading from the client, also messages of JSON-RPC. @returns A function that continues. */
  hold(): () => void
  /** @param code A close code of RFC 6455, section 7.4. */
  close(code: number, reason: string): void
}

/** Serves the frames of one WebSocket. Frames arrive in the order in which the client sent them. */
export interface SocketHandler {
  /**
   * Serves a text frame.
   *
   * @param message The parsed JSON, within the limits of the server.
   * @param bytes Length of the frame.
   * @returns Whether the message belongs to the extension. Other messages are JSON-RPC. Default: false.
   */
  receiveText?(message: unknown, bytes: number): boolean
  /**
   * Serves a binary frame.
   *
   * @returns Whether the frame belongs to the extension. Otherwise, the WebSocket is closed. Default: false.
   */
  receiveBinary?(frame: Uint8Array): boolean
  /** The server begins to close: begin nothing new. Calls in flight may end. */
  closing?(): void
  /** The WebSocket has closed. */
  disconnected?(): void
}

/** Opens the handler of a WebSocket. */
export type OpenSocketHandler = (socket: ExtendedSocket) => SocketHandler
