import type { ClientStream, Socket, StreamConnection, StreamOptions } from '@toolwright/streams/client'
import { abortable } from '../timing.js'

export interface StreamPoolInit {
  /** Opens a WebSocket. */
  readonly connect: () => Promise<Socket>
  /** Returns the maximum number of streams on one WebSocket. */
  readonly maxStreams: () => number
  /** @throws ConnectionError if the client has been closed. */
  readonly checkOpen: () => void
}

/** A WebSocket with streams. */
interface Shared {
  readonly connection: Promise<StreamConnection>
  streams: number
}

/** The streams of a client. Streams share WebSockets. A WebSocket closes when its last stream has ended. */
export class StreamPool {
  readonly #shared = new Set<Shared>()

  constructor(private readonly init: StreamPoolInit) {}

  async open<In, Out, Result>(
    tool: string,
    args: object,
    options: StreamOptions,
  ): Promise<ClientStream<In, Out, Result>> {
    const { signal } = options
    signal?.throwIfAborted()
    this.init.checkOpen()
    const shared = this.#take()
    try {
      const connection = await abortable(shared.connection, signal)
      const stream = connection.open<In, Out, Result>(tool, args, options)
      const release = (): void => this.#release(shared)
      stream.done.then(release, release)
      return stream
    } catch (error) {
      this.#release(shared)
      throw error
    }
  }

  /** Closes the WebSockets. Open streams fail. */
  async close(): Promise<void> {
    await Promise.all([...this.#shared].map((shared) => this.#close(shared)))
  }

  /** Returns a WebSocket that can take one more stream. */
  #take(): Shared {
    const limit = this.init.maxStreams()
    const found = [...this.#shared].find(({ streams }) => streams < limit)
    const shared = found ?? { connection: this.#connect(), streams: 0 }
    this.#shared.add(shared)
    shared.streams++
    return shared
  }

  async #connect(): Promise<StreamConnection> {
    const [{ StreamConnection }, socket] = await Promise.all([
      // The module is loaded on demand: most clients open no streams.
      import('@toolwright/streams/client'),
      this.init.connect(),
    ])
    return new StreamConnection(socket)
  }

  #release(shared: Shared): void {
    shared.streams--
    if (shared.streams === 0) void this.#close(shared)
  }

  async #close(shared: Shared): Promise<void> {
    this.#shared.delete(shared)
    await shared.connection.then(
      (connection) => connection.close(),
      () => undefined,
    )
  }
}
