import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'

/**
 * Maximum bytes of a subscription request. This limit is higher than the server's own limit, so that the server itself
 * rejects long requests.
 */
const maxRequestBytes = 256 * 1024

/** Maximum milliseconds to wait for the acknowledgement of a subscription at a new application. */
const patienceMs = 1000

export function isListen({ method, headers }: IncomingMessage): boolean {
  return method === 'POST' && headers['mcp-method'] === 'subscriptions/listen'
}

/**
 * Keeps subscriptions of 2026-07-28 open while applications are replaced. Without this class, a subscription would end
 * with its server, and clients do not subscribe again by themselves.
 */
export class SubscriptionRelay {
  readonly #open = new Set<Subscription>()
  #app: FastifyInstance | null = null

  serve(request: IncomingMessage, response: ServerResponse): void {
    const subscription = new Subscription(request, response)
    this.#open.add(subscription)
    response.once('close', () => this.#open.delete(subscription))
    void subscription.begin(this.#app)
  }

  async moveTo(app: FastifyInstance): Promise<void> {
    this.#app = app
    await Promise.all([...this.#open].map((subscription) => subscription.moveTo(app)))
  }

  close(): void {
    for (const subscription of this.#open) subscription.close()
  }
}

class Subscription {
  #body: Buffer | null = null
  #upstream = new AbortController()

  constructor(
    private readonly request: IncomingMessage,
    private readonly response: ServerResponse,
  ) {
    response.once('close', () => this.#upstream.abort())
  }

  async begin(app: FastifyInstance | null): Promise<void> {
    try {
      this.#body = await readBody(this.request)
      if (app === null || this.#body === null) this.close()
      else await this.moveTo(app)
    } catch {
      // The client has disconnected.
      this.close()
    }
  }

  async moveTo(app: FastifyInstance): Promise<void> {
    if (this.#body === null || this.response.destroyed) return
    // The previous request ends last, so that no event is missed.
    const previous = this.#upstream
    this.#upstream = new AbortController()
    const { signal } = this.#upstream
    try {
      const answer = await app.inject({
        method: 'POST',
        url: this.request.url ?? '/',
        headers: withoutLength(this.request),
        payload: this.#body,
        ...(this.request.socket.remoteAddress === undefined
          ? {}
          : { remoteAddress: this.request.socket.remoteAddress }),
        payloadAsStream: true,
        signal,
      })
      if (signal.aborted) return
      const isFirst = !this.response.headersSent
      if (isFirst) this.response.writeHead(answer.statusCode, answer.headers as NodeJS.Dict<string>)
      else if (answer.statusCode !== 200) return this.close()
      await this.#forward(answer.stream(), signal, isFirst)
    } catch (error) {
      if (!signal.aborted) this.response.destroy(error as Error)
    } finally {
      previous.abort()
    }
  }

  close(): void {
    this.#upstream.abort()
    this.response.destroy()
  }

  /**
   * Resolves when the acknowledgement, the first event, has arrived. Only the first acknowledgement is sent to the
   * client.
   */
  #forward(events: Readable, signal: AbortSignal, isFirst: boolean): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, patienceMs)
      const done = (): void => {
        clearTimeout(timer)
        resolve()
      }
      let isAcknowledged = isFirst
      let unread = ''
      events.on('data', (chunk: Buffer) => {
        if (signal.aborted) return
        unread += chunk.toString()
        const end = unread.lastIndexOf('\n\n') + 2
        // Waits for a whole event, which ends with a blank line. The first response is forwarded at once, because it
        // may not be an event stream.
        if (end === 1 && !isAcknowledged) return
        const whole = end === 1 ? unread : unread.slice(0, end)
        unread = unread.slice(whole.length)
        this.response.write(isAcknowledged ? whole : withoutAcknowledgement(whole))
        isAcknowledged ||= whole.includes(acknowledged)
        if (isAcknowledged) done()
      })
      events.on('error', done)
      events.on('end', () => {
        done()
        if (!signal.aborted) this.response.end(unread)
      })
    })
  }
}

const acknowledged = '"notifications/subscriptions/acknowledged"'

function withoutAcknowledgement(events: string): string {
  const all = events.split(/(?<=\n\n)/)
  return all.filter((event) => !event.includes(acknowledged)).join('')
}

function withoutLength({ headers }: IncomingMessage): NodeJS.Dict<string> {
  const { 'content-length': _length, 'transfer-encoding': _encoding, ...others } = headers
  return others as NodeJS.Dict<string>
}

async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  if (Number(request.headers['content-length'] ?? 0) > maxRequestBytes) return null
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > maxRequestBytes) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
