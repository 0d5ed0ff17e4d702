import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

/**
 * A sentinel that announces one primary, `main`, and no other sentinels. No npm package has a sentinel that runs
 * without Redis.
 */
export class FakeSentinel {
  readonly #sockets = new Set<Socket>()
  readonly #server = createServer((socket) => this.#serve(socket))
  #hangs = false

  private constructor(private primary: number) {}

  static async open(primary: number): Promise<FakeSentinel> {
    const sentinel = new FakeSentinel(primary)
    sentinel.#server.listen(0, '127.0.0.1')
    await once(sentinel.#server, 'listening')
    return sentinel
  }

  get node(): { readonly host: string; readonly port: number } {
    return { host: '127.0.0.1', port: (this.#server.address() as AddressInfo).port }
  }

  /** Accepts connections, and does not respond any more. */
  hang(): void {
    this.#hangs = true
  }

  /** Announces another primary from now on. */
  promote(port: number): void {
    this.primary = port
    for (const socket of this.#sockets) socket.write(push('pmessage', '+slave', '+slave', 'slave'))
  }

  close(): void {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('close', () => this.#sockets.delete(socket)).on('error', () => undefined)
    let text = ''
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      for (;;) {
        const [, count = '0'] = /^\*(\d+)\r\n/.exec(text) ?? []
        const lines = text.split('\r\n')
        const end = 1 + 2 * Number(count)
        if (count === '0' || lines.length <= end) return
        text = lines.slice(end).join('\r\n')
        const command = lines.slice(1, end).filter((_line, index) => index % 2 === 1)
        if (!this.#hangs) socket.write(this.#answer(command))
      }
    })
  }

  #answer([name = '', what = '', master = '', ...patterns]: readonly string[]): string {
    if (name === 'HELLO') return '%1\r\n+proto\r\n:3\r\n'
    if (name === 'psubscribe') return [what, master, ...patterns].map((each) => push('psubscribe', each, 1)).join('')
    if (name !== 'SENTINEL') return '+PONG\r\n'
    if (master !== 'main') return '-ERR No such master with that name\r\n'
    if (what !== 'MASTER') return '*0\r\n'
    const fields = ['ip', '127.0.0.1', 'port', this.primary, 'flags', 'master', 'config-epoch', 1]
    return `%4\r\n${fields.map((field) => `+${field}\r\n`).join('')}`
  }
}

function push(...parts: readonly (string | number)[]): string {
  const texts = parts.map((part) => (typeof part === 'number' ? `:${part}` : `$${part.length}\r\n${part}`))
  return `>${parts.length}\r\n${texts.join('\r\n')}\r\n`
}
