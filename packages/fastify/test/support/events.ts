// A client of event streams that can be cut, paused and resumed.
import { once } from 'node:events'
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { initialize, type Message, post } from './wire.js'

export interface SentEvent {
  readonly id: string | undefined
  readonly retry: string | undefined
  readonly data: string
}

/** A response with its events, to be read one by one. */
export class EventReader {
  #buffered = ''
  readonly #chunks: AsyncIterator<string>

  constructor(
    readonly response: IncomingMessage,
    private readonly sent: ClientRequest,
  ) {
    response.setEncoding('utf8')
    this.#chunks = response[Symbol.asyncIterator]() as AsyncIterator<string>
  }

  get status(): number {
    return this.response.statusCode as number
  }

  /** The next event, without comments; `null` at the end. */
  async next(): Promise<SentEvent | null> {
    for (;;) {
      const end = this.#buffered.indexOf('\n\n')
      if (end === -1) {
        // oxlint-disable-next-line no-await-in-loop
        const { value, done } = await this.#chunks.next()
        if (done === true) return null
        this.#buffered += value
        continue
      }
      const block = this.#buffered.slice(0, end)
      this.#buffered = this.#buffered.slice(end + 2)
      if (!block.startsWith(':')) return readEvent(block)
    }
  }

  async take(count: number): Promise<SentEvent[]> {
    const events: SentEvent[] = []
    while (events.length < count) {
      // oxlint-disable-next-line no-await-in-loop
      const event = await this.next()
      if (event === null) break
      events.push(event)
    }
    return events
  }

  rest(): Promise<SentEvent[]> {
    return this.take(Number.POSITIVE_INFINITY)
  }

  /** The next event with a message, parsed. */
  // oxlint-disable-next-line typescript/no-explicit-any
  async message(): Promise<any> {
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop
      const event = await this.next()
      if (event === null) return null
      if (event.data !== '') return JSON.parse(event.data) as unknown
    }
  }

  /** Breaks the connection without notice to the other end, like a network failure. */
  cut(): void {
    this.sent.destroy()
  }
}

function readEvent(block: string): SentEvent {
  const field = (name: string): string | undefined => new RegExp(`^${name}: ?(.*)$`, 'm').exec(block)?.[1]
  return { id: field('id'), retry: field('retry'), data: field('data') ?? '' }
}

/** The messages among events, parsed. */
// oxlint-disable-next-line typescript/no-explicit-any
export function messagesIn(events: readonly SentEvent[]): any[] {
  return events.filter(({ data }) => data !== '').map(({ data }) => JSON.parse(data) as unknown)
}

/** A legacy client with a session, over real sockets. */
export class SessionClient {
  readonly #agent = new Agent()

  constructor(
    readonly port: number,
    readonly sessionId: string,
  ) {}

  get(headers: Record<string, string> = {}): Promise<EventReader> {
    return this.#send('GET', { accept: 'text/event-stream', ...headers })
  }

  resume(lastEventId: string | undefined): Promise<EventReader> {
    return this.get({ 'last-event-id': String(lastEventId) })
  }

  post(message: Message, headers: Record<string, string> = {}): Promise<EventReader> {
    const usual = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    return this.#send('POST', { ...usual, ...headers }, JSON.stringify(message))
  }

  /** Posts without waiting for the response. Returns a function that breaks the connection. */
  abandon(message: Message): () => void {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const sent = this.#request('POST', headers, JSON.stringify(message))
    return () => void sent.destroy()
  }

  close(): void {
    this.#agent.destroy()
  }

  async #send(method: string, headers: Record<string, string>, body?: string): Promise<EventReader> {
    const sent = this.#request(method, headers, body)
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    response.on('error', () => undefined)
    return new EventReader(response, sent)
  }

  #request(method: string, headers: Record<string, string>, body?: string): ClientRequest {
    const { port, sessionId } = this
    const all = { 'mcp-session-id': sessionId, ...headers }
    const sent = request({ host: '127.0.0.1', port, path: '/mcp', method, agent: this.#agent, headers: all })
    sent.on('error', () => undefined)
    sent.end(body)
    return sent
  }
}

/** Opens a session of this version at a listening application. */
export async function openSession(app: FastifyInstance, port: number, version = '2025-11-25'): Promise<SessionClient> {
  const reply = await post(app, initialize(version))
  return new SessionClient(port, String(reply.headers['mcp-session-id']))
}
