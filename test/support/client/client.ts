import { once } from 'node:events'
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { EventReader, messagesOf } from './events.js'
import {
  headersOf,
  initializeMessage,
  legacyMessage,
  type Message,
  modernMessage,
  notification,
  type Params,
  toolCall,
} from './messages.js'
import { listen } from './open-app.js'

/** A header that is `undefined` is omitted, also if the client sends it by default. */
export type HeaderValues = Readonly<Record<string, string | undefined>>

export interface ClientOptions {
  /** Family of revisions. Default: `modern`. */
  readonly era?: 'modern' | 'legacy'
  /** Headers of each request, such as `authorization`. */
  readonly headers?: HeaderValues
}

export interface SessionOptions {
  /** Revision that the client asks for. Default: `2025-11-25`. */
  readonly version?: string
  /** Headers of each request, including the handshake. */
  readonly headers?: HeaderValues
  /** Params of `initialize`, such as `capabilities`. */
  readonly params?: object
}

export interface RequestOptions {
  /** Default: 1, so that tests can compare whole responses. */
  readonly id?: number | string
  /** Members of `_meta`, such as `progressToken`. `undefined` omits a required one. */
  readonly meta?: object
  readonly headers?: HeaderValues
}

/** A whole response, as it was on the wire. */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
  /** The parsed body; `undefined` when it is empty or invalid JSON. */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly json: any
  /** The messages of a body that is an event stream. */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly messages: any[]
}

const acceptsBoth = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

/**
 * A client of an application, without a session. It adds to a request only what its era requires.
 *
 * @example
 * const client = connectTo(await openApp({ tools: [add] }))
 * const { status, json } = await client.call('add', { a: 1, b: 2 })
 * expect([status, json.result.content]).toStrictEqual([200, [{ type: 'text', text: '3' }]])
 */
export function connectTo(app: FastifyInstance, { era = 'modern', headers = {} }: ClientOptions = {}): TestClient {
  return new TestClient(app, era, headers)
}

/**
 * A legacy client with a session: its requests carry the id of the session.
 * @throws Error if the server opens no session.
 */
export async function openSession(
  app: FastifyInstance,
  { version = '2025-11-25', params = {}, headers = {} }: SessionOptions = {},
): Promise<TestClient> {
  const reply = await connectTo(app, { era: 'legacy', headers }).initialize(version, params)
  const id = reply.headers['mcp-session-id']
  if (reply.status !== 200 || typeof id !== 'string')
    throw new Error(`the server opened no session: ${reply.status} ${reply.text}`)
  return joinSession(app, id, headers)
}

/** A client of a session that exists already. */
export function joinSession(app: FastifyInstance, sessionId: string, headers: HeaderValues = {}): TestClient {
  return new TestClient(app, 'legacy', { 'mcp-session-id': sessionId, ...headers })
}

export class TestClient {
  readonly #era: 'modern' | 'legacy'
  readonly #agent = new Agent()

  /** @param headers Headers of each request. */
  constructor(
    readonly app: FastifyInstance,
    era: 'modern' | 'legacy',
    readonly headers: HeaderValues,
  ) {
    this.#era = era
  }

  /** The id of the session, for a client of {@link openSession} or {@link joinSession}. */
  get sessionId(): string {
    return String(this.headers['mcp-session-id'])
  }

  /** The same client at another node. */
  at(app: FastifyInstance): TestClient {
    return new TestClient(app, this.#era, this.headers)
  }

  /** Calls a tool. */
  call(tool: string, args: object = {}, options: RequestOptions = {}): Promise<Reply> {
    return this.request('tools/call', toolCall(tool, args), options)
  }

  /** Sends a request, and resolves with the whole response, whether a result or an error. */
  request(method: string, params?: Params, options: RequestOptions = {}): Promise<Reply> {
    return this.send(this.message(method, params, options), options.headers)
  }

  /** The message of `request`, for batches and for `stream`. */
  message(method: string, params?: Params, { id = 1, meta }: Omit<RequestOptions, 'headers'> = {}): Message {
    if (this.#era === 'modern') return { ...modernMessage(method, params, meta), id }
    return legacyMessage(method, meta === undefined ? params : { ...params, _meta: meta }, id)
  }

  notify(method: string, params?: Params, headers?: HeaderValues): Promise<Reply> {
    return this.send(notification(method, params), headers)
  }

  /** Sends a legacy handshake, and leaves its session to the test. {@link openSession} returns a client of the session. */
  initialize(version: string, params: object = {}, headers?: HeaderValues): Promise<Reply> {
    return this.send(initializeMessage(version, params), headers)
  }

  /** Posts a message, a batch or an invalid body unchanged. Messages of a modern client get their standard headers. */
  async send(body: unknown, headers: HeaderValues = {}): Promise<Reply> {
    const response = await this.app.inject({
      method: 'POST',
      url: '/mcp',
      payload: payloadOf(body),
      headers: this.#headersOf(body, headers),
    })
    return replyOf(response)
  }

  /** Posts over a socket, and resolves as soon as the response begins, to read its events one by one. */
  stream(body: unknown, headers: HeaderValues = {}): Promise<EventReader> {
    return this.#open('POST', this.#headersOf(body, headers), payloadOf(body))
  }

  /** Opens the event stream of the session. */
  listen(headers: HeaderValues = {}): Promise<EventReader> {
    return this.#open('GET', present({ accept: 'text/event-stream', ...this.headers, ...headers }))
  }

  /** Continues a stream that broke. */
  resume(lastEventId: string | undefined): Promise<EventReader> {
    return this.listen({ 'last-event-id': String(lastEventId) })
  }

  /** Posts over a socket without waiting for the response. Resolves with a function that breaks the connection. */
  async abandon(body: unknown): Promise<() => void> {
    const sent = await this.#request('POST', this.#headersOf(body, {}), payloadOf(body))
    return () => void sent.destroy()
  }

  /** Ends the session with a DELETE request. */
  async end(headers: HeaderValues = {}): Promise<Reply> {
    return replyOf(
      await this.app.inject({ method: 'DELETE', url: '/mcp', headers: present({ ...this.headers, ...headers }) }),
    )
  }

  /** Closes the sockets. The session stays open. */
  close(): void {
    this.#agent.destroy()
  }

  #headersOf(body: unknown, headers: HeaderValues): Record<string, string> {
    const standard = this.#era === 'modern' ? headersOf(body as Message) : {}
    return present({ ...acceptsBoth, ...standard, ...this.headers, ...headers })
  }

  async #open(method: string, headers: Record<string, string>, body?: string | Buffer): Promise<EventReader> {
    const sent = await this.#request(method, headers, body)
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    response.on('error', () => undefined)
    return new EventReader(response, sent)
  }

  async #request(method: string, headers: Record<string, string>, body?: string | Buffer): Promise<ClientRequest> {
    const port = await listen(this.app)
    const sent = request({ host: '127.0.0.1', port, path: '/mcp', method, agent: this.#agent, headers })
    sent.on('error', () => undefined)
    sent.end(body)
    return sent
  }
}

type Response = Awaited<ReturnType<FastifyInstance['inject']>>

function replyOf({ statusCode: status, headers, body: text }: Response): Reply {
  return {
    status,
    headers,
    text,
    json: parse(text),
    get messages() {
      return messagesOf(text)
    },
  }
}

function present(headers: HeaderValues): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)) as Record<
    string,
    string
  >
}

function payloadOf(body: unknown): string | Buffer {
  return typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
