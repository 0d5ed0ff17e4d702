import type { ClientStream, Socket, StreamConnection, StreamOptions } from '@toolwright/streams/client'
import { ConnectionError } from '../errors.js'
import { abortable, atMost } from '../timing.js'

/** Opens a WebSocket. @param opening Aborts the attempt. */
export type OpenSocket = (opening: AbortController) => Promise<Socket>

export interface StreamPoolInit {
  readonly connect: OpenSocket
  readonly maxStreams: () => number
  /** Milliseconds until the server has to accept a stream. */
  readonly timeoutMs: number
  readonly checkOpen: () => void
}

/** Milliseconds that a client waits for the end of a WebSocket. Browsers wait longer if the server does not answer. */
const closeMs = 2500

interface Shared {
  readonly connection: Promise<StreamConnection>
  readonly opening: AbortController
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
      const stream = connection.open<In, Out, Result>(tool, args, { timeoutMs: this.init.timeoutMs, ...options })
      const release = (): void => this.#release(shared)
      stream.done.then(release, release)
      return stream
    } catch (error) {
      this.#release(shared)
      throw error
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#shared].map((shared) => this.#close(shared)))
  }

  #take(): Shared {
    const limit = this.init.maxStreams()
    const found = [...this.#shared].find(({ streams }) => streams < limit)
    const shared = found ?? this.#openShared()
    this.#shared.add(shared)
    shared.streams++
    return shared
  }

  #openShared(): Shared {
    const opening = new AbortController()
    return { connection: this.#connect(opening), opening, streams: 0 }
  }

  async #connect(opening: AbortController): Promise<StreamConnection> {
    const [{ StreamConnection }, socket] = await Promise.all([
      // The module is loaded on demand: most clients open no streams.
      import('@toolwright/streams/client'),
      this.init.connect(opening),
    ])
    return new StreamConnection(socket)
  }

  #release(shared: Shared): void {
    shared.streams--
    if (shared.streams === 0) void this.#close(shared)
  }

  async #close(shared: Shared): Promise<void> {
    this.#shared.delete(shared)
    shared.opening.abort(new ConnectionError('The client closed the WebSocket before it was open.'))
    await atMost(
      shared.connection.then((connection) => connection.close()),
      closeMs,
    )
  }
}
