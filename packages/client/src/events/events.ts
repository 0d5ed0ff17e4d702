import { LOG_LEVEL_META_KEY, type LoggingLevel, type LoggingMessageNotification } from '@modelcontextprotocol/client'
import type { Connection } from '../connection.js'
import { ClientError } from '../errors.js'
import type { RequestOptions } from '../options.js'
import type { EventQueue, EventStream } from './event-queue.js'
import { SharedListen } from './shared-listen.js'
import { Subscription } from './subscription.js'

/** A list that has changed. */
export type ListName = 'tools' | 'prompts' | 'resources'

export type LogMessage = LoggingMessageNotification['params']

export interface LogOptions extends RequestOptions {
  /** Minimum severity. Default: `info`. */
  readonly level?: LoggingLevel
}

const listNames: readonly ListName[] = ['tools', 'prompts', 'resources']

const levels: readonly LoggingLevel[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
]

interface LogReader {
  readonly queue: EventQueue<LogMessage>
  readonly least: number
}

export class Events {
  readonly #changes = new Set<EventQueue<ListName>>()
  /** The URIs of each subscription: keys are normalized URIs, values are the URIs that the subscriber passed. */
  readonly #updates = new Map<EventQueue<string>, ReadonlyMap<string, string>>()
  readonly #logs = new Set<LogReader>()

  readonly #shared: SharedListen

  constructor(private readonly connection: Connection) {
    this.#shared = new SharedListen(connection)
    const { official } = connection
    for (const name of listNames) {
      official.setNotificationHandler(`notifications/${name}/list_changed`, () => {
        for (const queue of this.#changes) pushOnce(queue, name)
      })
    }
    official.setNotificationHandler('notifications/resources/updated', ({ params: { uri } }) => {
      for (const [queue, uris] of this.#updates) {
        const written = uris.get(normalUri(uri))
        if (written !== undefined) pushOnce(queue, written)
      }
    })
    official.setNotificationHandler('notifications/message', ({ params }) => {
      const severity = levels.indexOf(params.level)
      for (const { queue, least } of this.#logs) if (severity >= least) queue.push(params)
    })
  }

  /** Members of a call's `_meta` that request log messages. Empty for legacy servers, and while no logs are read. */
  get callMeta(): Readonly<Record<string, unknown>> {
    if (this.#logs.size === 0 || this.connection.official.getProtocolEra() !== 'modern') return {}
    return { [LOG_LEVEL_META_KEY]: this.#leastLevel() }
  }

  async changes(options: RequestOptions): Promise<EventStream<ListName>> {
    const subscription = new Subscription<ListName>(
      {
        connection: this.connection,
        shared: this.#shared,
        what: 'The subscription to changes of lists',
        filter: (official) => {
          const capabilities = official.getServerCapabilities() ?? {}
          const announced = listNames.filter((name) => capabilities[name]?.listChanged === true)
          if (announced.length === 0) return null
          return Object.fromEntries(announced.map((name) => [`${name}ListChanged`, true]))
        },
        // No request is needed: legacy servers send these notifications to every client.
        subscribe: async () => undefined,
        unsubscribe: async () => undefined,
        missed: (queue) => {
          const capabilities = this.connection.official.getServerCapabilities() ?? {}
          for (const name of listNames) if (capabilities[name]?.listChanged === true) pushOnce(queue, name)
        },
        ended: (queue) => this.#changes.delete(queue),
      },
      options,
    )
    this.#changes.add(subscription.queue)
    return subscription.open()
  }

  async updates(uris: readonly string[], options: RequestOptions): Promise<EventStream<string>> {
    const subscription = new Subscription<string>(
      {
        connection: this.connection,
        shared: this.#shared,
        what: `The subscription to ${uris.join(', ')}`,
        filter: (official) =>
          official.getServerCapabilities()?.resources?.subscribe === true ? { resourceSubscriptions: [...uris] } : null,
        subscribe: async (official, limits) => {
          await Promise.all(uris.map((uri) => official.subscribeResource({ uri }, limits)))
        },
        unsubscribe: async (official, limits) => {
          const others = new Set([...this.#updates.values()].flatMap((each) => [...each.values()]))
          const unused = uris.filter((uri) => !others.has(uri))
          await Promise.all(unused.map((uri) => official.unsubscribeResource({ uri }, limits)))
        },
        missed: (queue) => uris.forEach((uri) => pushOnce(queue, uri)),
        ended: (queue) => this.#updates.delete(queue),
      },
      options,
    )
    this.#updates.set(subscription.queue, new Map(uris.map((uri) => [normalUri(uri), uri])))
    return subscription.open()
  }

  async logs({ level = 'info', ...options }: LogOptions): Promise<EventStream<LogMessage>> {
    if (!levels.includes(level)) {
      throw new ClientError(`The level is '${level}'. Give one of ${levels.join(', ')}.`, 'bad-option')
    }
    const subscription = new Subscription<LogMessage>(
      {
        connection: this.connection,
        shared: this.#shared,
        what: 'The subscription to log messages',
        filter: (official) => (official.getServerCapabilities()?.logging === undefined ? null : {}),
        subscribe: async (official, limits) => {
          await official.setLoggingLevel(this.#leastLevel(), limits)
        },
        unsubscribe: async () => undefined,
        missed: () => undefined,
        ended: (queue) => {
          for (const reader of this.#logs) if (reader.queue === queue) this.#logs.delete(reader)
        },
      },
      options,
    )
    this.#logs.add({ queue: subscription.queue, least: levels.indexOf(level) })
    return subscription.open()
  }

  #leastLevel(): LoggingLevel {
    const least = Math.min(...[...this.#logs].map((reader) => reader.least))
    return levels[least] ?? 'info'
  }
}

function pushOnce<Event>(queue: EventQueue<Event>, event: Event): void {
  if (!queue.has((waiting) => waiting === event)) queue.push(event)
}

/** Normalizes a URI for comparisons: servers can encode characters that the subscriber did not encode. */
function normalUri(uri: string): string {
  return URL.canParse(uri) ? new URL(uri).href : uri
}
