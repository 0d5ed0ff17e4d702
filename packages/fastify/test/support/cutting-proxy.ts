import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

/** A network between client and server whose connections can be cut. */
export class CuttingProxy {
  readonly #sockets = new Set<Socket>()
  readonly #server: Server

  constructor(target: number) {
    this.#server = createServer((near) => {
      const far = connect(target, '127.0.0.1')
      near.pipe(far)
      far.pipe(near)
      for (const socket of [near, far]) {
        this.#sockets.add(socket)
        socket.on('error', () => undefined)
        socket.on('close', () => {
          this.#sockets.delete(socket)
          near.destroy()
          far.destroy()
        })
      }
    })
  }

  async listen(): Promise<number> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return (this.#server.address() as { port: number }).port
  }

  /** Cuts every connection there is. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  close(): void {
    this.#server.close()
    this.cut()
  }
}
