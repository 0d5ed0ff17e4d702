import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { InMemoryClient, McpServer } from 'toolwright'
import type { DevParts } from 'toolwright/dev'

interface Message {
  readonly id?: string | number | null
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly result?: unknown
  readonly error?: unknown
}

interface Link {
  readonly server: McpServer
  readonly client: InMemoryClient
  /** Ids of requests that the server still has to answer, without subscriptions. */
  readonly pending: Set<unknown>
  readonly own: Map<unknown, () => void>
  readonly moved: Map<unknown, () => void>
  onAnswer: () => void
}

const subscriptionIdKey = 'io.modelcontextprotocol/subscriptionId'
const acknowledged = 'notifications/subscriptions/acknowledged'

/**
 * Notifications of changes. Every server sends such notifications, but the client gets only those of the current
 * server.
 */
const ofChanges = /^notifications\/(?:(?:tools|prompts|resources)\/list_changed|resources\/updated|tasks.*)$/

/** Milliseconds between checks for unanswered calls, when the input has ended. */
const pollMs = 10

/** Maximum milliseconds for the answer to a replayed request. */
const replayMs = 1000

/**
 * Connects one client over stdio to servers that replace each other. The relay repeats the client's handshake, log
 * level and subscriptions at each new server, so that the client does not notice the replacement.
 */
export class StdioRelay {
  #link: Link | null = null
  readonly #links = new Set<Link>()
  /** Messages that arrived before the first server was ready. */
  #waiting: unknown[] = []
  #initialize: Message | null = null
  #isInitialized = false
  #level: Message | null = null
  readonly #subscribed = new Map<unknown, Message>()
  /** Open subscriptions of 2026-07-28, by their id. */
  readonly #listens = new Map<unknown, Message>()
  readonly #asked = new Map<unknown, { readonly link: Link; readonly id: Message['id'] }>()
  readonly #acknowledged = new Set<unknown>()
  #lastId = 0

  constructor(private readonly output: Writable) {}

  async read(input: Readable): Promise<void> {
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      if (line.trim() !== '') this.#readLine(line)
    }
  }

  async idle(timeoutMs: number): Promise<void> {
    const deadline = performance.now() + timeoutMs
    const isBusy = (): boolean => [...this.#links].some(({ pending }) => pending.size > 0)
    // oxlint-disable-next-line no-await-in-loop
    while (isBusy() && performance.now() < deadline) await sleep(pollMs)
  }

  /**
   * Sends all further messages to a server, after {@link #replay}. @returns A function that drains the previous server.
   */
  async switchTo(server: McpServer, connect: DevParts['connectInMemory']): Promise<() => Promise<void>> {
    const link: Link = {
      server,
      client: connect(server, { onMessage: (message) => this.#send(message, link) }),
      pending: new Set(),
      own: new Map(),
      moved: new Map(),
      onAnswer: () => undefined,
    }
    this.#links.add(link)
    await this.#replay(link)
    const last = this.#link
    this.#link = link
    await Promise.all([...this.#listens.values()].map((message) => this.#move(link, message)))
    for (const message of this.#waiting.splice(0)) this.#receive(message)
    return async () => {
      if (last !== null) await this.#drain(last)
    }
  }

  async #replay(link: Link): Promise<void> {
    if (this.#initialize === null) return
    await this.#request(link, this.#initialize)
    if (this.#isInitialized) link.client.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
    if (this.#level !== null) await this.#request(link, this.#level)
    await Promise.all([...this.#subscribed.values()].map((message) => this.#request(link, message)))
  }

  /** Repeats a request with an id of the relay. Drops the answer. */
  #request(link: Link, message: Message): Promise<void> {
    return new Promise((resolve) => {
      const id = `toolwright-dev-${++this.#lastId}`
      const timer = setTimeout(resolve, replayMs)
      link.own.set(id, () => {
        clearTimeout(timer)
        resolve()
      })
      link.client.send({ ...message, id })
    })
  }

  /** Subscribes again. Resolves when the server has acknowledged the subscription. */
  #move(link: Link, message: Message): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, replayMs)
      link.moved.set(message.id, () => {
        clearTimeout(timer)
        resolve()
      })
      link.client.send(message)
    })
  }

  async #drain(link: Link): Promise<void> {
    await new Promise<void>((resolve) => {
      link.onAnswer = () => {
        if (link.pending.size === 0) resolve()
      }
      link.onAnswer()
    })
    this.#links.delete(link)
    await link.client.close()
  }

  #readLine(line: string): void {
    try {
      this.#receive(JSON.parse(line))
    } catch {
      this.#write({ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error' } })
    }
  }

  #receive(message: unknown): void {
    const link = this.#link
    if (link === null) {
      this.#waiting.push(message)
      return
    }
    for (const each of [message].flat() as (Message | null)[]) if (each !== null) this.#note(each, link)
    const target = Array.isArray(message) ? link : this.#targetOf(message as Message | null, link)
    const { method, id, ...rest } = (message ?? {}) as Message
    const asked = method === undefined ? this.#asked.get(id) : undefined
    if (asked === undefined) target.client.send(message)
    else {
      this.#asked.delete(id)
      asked.link.client.send({ id: asked.id, ...rest })
    }
  }

  #note(message: Message, link: Link): void {
    const { method, id, params } = message
    if (method === 'notifications/initialized') this.#isInitialized = true
    if (method === 'notifications/cancelled') this.#forgetListen(params?.['requestId'])
    if (method === undefined || id === undefined) return
    if (method === 'subscriptions/listen') {
      this.#listens.set(id, message)
      return
    }
    link.pending.add(id)
    if (method === 'initialize') this.#initialize = message
    else if (method === 'logging/setLevel') this.#level = message
    else if (method === 'resources/subscribe') this.#subscribed.set(params?.['uri'], message)
    else if (method === 'resources/unsubscribe') this.#subscribed.delete(params?.['uri'])
  }

  #forgetListen(id: unknown): void {
    this.#listens.delete(id)
    this.#acknowledged.delete(id)
  }

  #targetOf(message: Message | null, current: Link): Link {
    const requestId = message?.method === 'notifications/cancelled' ? message.params?.['requestId'] : undefined
    if (requestId === undefined) return current
    return [...this.#links].find(({ pending }) => pending.has(requestId)) ?? current
  }

  #send(message: unknown, link: Link): void {
    if (Array.isArray(message)) {
      for (const { id } of message as Message[]) this.#answered(id, link)
      this.#write(message)
      return
    }
    const { id, method, params } = message as Message
    if (method === undefined) this.#sendAnswer(message as Message, link)
    else if (id !== undefined) this.#ask(message as Message, link)
    else if (this.#passes(method, params, link)) this.#write(message)
  }

  #sendAnswer(message: Message, link: Link): void {
    const { id } = message
    const own = link.own.get(id)
    if (own !== undefined) {
      link.own.delete(id)
      own()
      return
    }
    if (this.#listens.has(id)) {
      // Drops the end of a subscription at a replaced server, because the subscription continues at the next server.
      if (link !== this.#link) return
      this.#forgetListen(id)
    }
    this.#write(message)
    this.#answered(id, link)
  }

  #answered(id: unknown, link: Link): void {
    link.pending.delete(id)
    link.onAnswer()
  }

  #ask(message: Message, link: Link): void {
    const id = `dev-${++this.#lastId}`
    this.#asked.set(id, { link, id: message.id })
    this.#write({ ...message, id })
  }

  #passes(method: string, params: Message['params'], link: Link): boolean {
    const subscription = (params?.['_meta'] as Record<string, unknown> | undefined)?.[subscriptionIdKey]
    if (method === acknowledged) {
      link.moved.get(subscription)?.()
      if (this.#acknowledged.has(subscription)) return false
      this.#acknowledged.add(subscription)
      return true
    }
    return link === this.#link || !(subscription !== undefined || ofChanges.test(method))
  }

  #write(message: unknown): void {
    this.output.write(`${JSON.stringify(message)}\n`)
  }
}
