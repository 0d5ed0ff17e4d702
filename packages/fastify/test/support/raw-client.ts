import { connect, type Socket } from 'node:net'
import { headersOf, type Message, until } from './wire.js'

export interface RawClient {
  send(message: Message): void
  /** Everything so far. */
  received(): string
  until(text: string): Promise<void>
  pause(): void
  destroy(): void
}

/** Connects to the server, to do what no well-behaved client does. */
export async function openSocket(port: number, onBytes: (bytes: number) => void = () => undefined): Promise<RawClient> {
  const socket: Socket = connect(port, '127.0.0.1')
  let received = ''
  socket.setEncoding('utf8')
  socket.on('error', () => undefined)
  socket.on('data', (text) => {
    received += String(text)
    onBytes(String(text).length)
  })
  await new Promise((resolve) => {
    socket.once('connect', resolve)
  })
  return {
    send: (message) => {
      const body = JSON.stringify(message)
      const standard = {
        host: 'localhost',
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      }
      const headers = 'io.modelcontextprotocol/protocolVersion' in metaOf(message) ? headersOf(message) : {}
      const lines = Object.entries({ ...standard, ...headers }).map(([name, value]) => `${name}: ${value}`)
      socket.write(`POST /mcp HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`)
    },
    received: () => received,
    until: (text) => until(() => received.includes(text)),
    pause: () => void socket.pause(),
    destroy: () => void socket.destroy(),
  }
}

function metaOf({ params = {} }: Message): object {
  return params['_meta'] ?? {}
}
