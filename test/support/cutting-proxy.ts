import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** A network in front of a server, with simulated failures: down, hanging, or working. */
export class CuttingProxy {
  readonly #sockets = new Set<Socket>()
  #state: 'there' | 'gone' | 'hangs' = 'there'

  /** Latency in milliseconds. */
  delayMs = 0

  private constructor(private readonly server: Server) {}

  static async open(port: number, host = '127.0.0.1'): Promise<CuttingProxy> {
    const server = createServer()
    const proxy = new CuttingProxy(server)
    server.on('connection', (socket) => proxy.#pass(socket, host, port))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return proxy
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port
  }

  /** Breaks connections. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  /** Breaks connections, and new ones at once. */
  goAway(): void {
    this.#state = 'gone'
    this.cut()
  }

  /** Keeps connections open without passing on any data. */
  hang(): void {
    this.#state = 'hangs'
    for (const socket of this.#sockets) socket.pause()
  }

  comeBack(): void {
    this.#state = 'there'
    for (const socket of this.#sockets) socket.resume()
  }

  async close(): Promise<void> {
    this.goAway()
    this.server.close()
    await once(this.server, 'close')
  }

  #pass(near: Socket, host: string, port: number): void {
    if (this.#state === 'gone') return void near.destroy()
    const far = connect(port, host)
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(socket)
      socket.on('data', (chunk) => {
        if (this.delayMs === 0) other.write(chunk)
        else setTimeout(() => other.write(chunk), this.delayMs)
      })
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        this.#sockets.delete(socket)
        other.destroy()
      })
      if (this.#state === 'hangs') socket.pause()
    }
  }
}
