import type { WebSocket } from '@fastify/websocket'
import type { ExtendedSocket, Principal, RequestHeaders } from '@toolwright/core'
import type { Outbox } from '@toolwright/core/transport'
import type { FastifyRequest } from 'fastify'
import { principalOf } from '../security/principal.js'

interface Connected {
  readonly outbox: Pick<Outbox, 'waitingBytes'>
  send(frame: string | Uint8Array, onSent?: () => void): void
  hold(): () => void
  checkStart(): void
  close(code: number, reason: string): void
}

/** A WebSocket, as the extensions of the server see it. */
export class SharedSocket implements ExtendedSocket {
  readonly principal: Principal | null
  readonly headers: RequestHeaders
  readonly #socket: WebSocket
  readonly #request: FastifyRequest
  readonly #connection: Connected

  constructor(socket: WebSocket, request: FastifyRequest, connection: Connected) {
    this.#socket = socket
    this.#request = request
    this.#connection = connection
    this.principal = principalOf(request)
    this.headers = request.headers
  }

  get address(): string {
    return this.#request.ip
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN
  }

  get bufferedBytes(): number {
    return this.#socket.bufferedAmount + this.#connection.outbox.waitingBytes
  }

  send(frame: string | Uint8Array, onSent?: () => void): void {
    this.#connection.send(frame, onSent)
  }

  checkStart(): void {
    this.#connection.checkStart()
  }

  hold(): () => void {
    return this.#connection.hold()
  }

  close(code: number, reason: string): void {
    this.#connection.close(code, reason)
  }
}
