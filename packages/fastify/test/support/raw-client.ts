import { connect, type Socket } from 'node:net'
import { headersOf, type Message } from '../../../../test/support/client/index.js'
import { until } from '../../../../test/support/until.js'

export interface RawClient {
  send(message: Message, headers?: Readonly<Record<string, string>>): void
  get(path: string, headers: Readonly<Record<string, string>>): void
  /** Everything received so far. */
  received(): string
  until(text: string): Promise<void>
  pause(): void
  resume(): void
  destroy(): void
}

/** Connects to the server, for requests that well-behaved clients do not send. */
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
  const write = (line: string, headers: object, body = ''): void => {
    const lines = Object.entries({ host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}`)
    socket.write(`${line} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`)
  }
  return {
    send: (message, more = {}) => {
      const body = JSON.stringify(message)
      const standard = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
      const headers = 'io.modelcontextprotocol/protocolVersion' in metaOf(message) ? headersOf(message) : {}
      write('POST /mcp', { ...standard, ...headers, ...more }, body)
    },
    get: (path, headers) => write(`GET ${path}`, headers),
    received: () => received,
    until: (text) => until(() => received.includes(text)),
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    destroy: () => void socket.destroy(),
  }
}

function metaOf({ params = {} }: Message): object {
  return params['_meta'] ?? {}
}
