// Replaces node.ts in bundles for browsers.
import { StreamError } from '../../wire/stream-error.js'
import type * as node from './node.js'
import type { Socket } from './socket.js'

interface BrowserSocket extends Socket {
  binaryType: string
  addEventListener(type: string, listener: (event: never) => void): void
}

declare const WebSocket: new (url: URL, protocol: string) => BrowserSocket

export const openWebSocket: typeof node.openWebSocket = (url, headers) => {
  if (Object.keys(headers).length > 0) {
    throw new TypeError('A browser sends no headers or credentials with a WebSocket. Let it send a cookie.')
  }
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, 'mcp')
    socket.binaryType = 'arraybuffer'
    socket.addEventListener('open', () => resolve(socket))
    // Browsers hide the reason.
    socket.addEventListener('error', () => reject(new StreamError(`Cannot connect to ${url.href}`)))
  })
}
