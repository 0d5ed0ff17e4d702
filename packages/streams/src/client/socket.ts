/** An open WebSocket: the members that WebSockets of browsers and of the package ws share. */
export interface Socket {
  /** 1 while the WebSocket is open. */
  readonly readyState: number
  /** Number of bytes that were sent, but have not left this process. */
  readonly bufferedAmount: number
  send(frame: string | Uint8Array): void
  close(code?: number, reason?: string): void
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void
  addEventListener(type: 'close', listener: (event: { readonly code: number; readonly reason: string }) => void): void
  addEventListener(type: 'error', listener: (event: { readonly error?: unknown }) => void): void
}
