// Replaces node.ts in bundles for browsers.
import type { Socket } from '@toolwright/streams/client'
import { ClientError, ConnectionError } from '../errors.js'
import { shownUrl } from '../target.js'
import type * as node from './node.js'

export const createCommandTransport: typeof node.createCommandTransport = () => {
  throw new ClientError('A browser cannot start a program. Connect to a URL.', 'unsupported')
}

export const createInMemoryTransport: typeof node.createInMemoryTransport = () => {
  throw new ClientError('A browser cannot run a server. Connect to a URL.', 'unsupported')
}

export const openSocket: typeof node.openSocket = async (url, headers, { signal }) => {
  if (Object.keys(headers).length > 0) {
    const message =
      'A browser cannot send headers or credentials with a WebSocket. Use a cookie or, unless you need streams, ' +
      'connect to an http: or https: URL.'
    throw new ClientError(message, 'unsupported')
  }
  signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, 'mcp')
    socket.binaryType = 'arraybuffer'
    const abort = (): void => {
      reject(signal.reason as Error)
      socket.close()
    }
    signal.addEventListener('abort', abort, { once: true })
    socket.addEventListener('open', () => {
      signal.removeEventListener('abort', abort)
      resolve(socket as Socket)
    })
    // Browsers hide the reason, so the message has none.
    socket.addEventListener('error', () => reject(new ConnectionError(`Cannot connect to ${shownUrl(url)}.`)))
  })
}
