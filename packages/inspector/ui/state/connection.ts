// One connection of the official client for each era.
import {
  CLIENT_CAPABILITIES_META_KEY,
  Client,
  type ClientCapabilities,
  type Implementation,
  type McpSubscription,
  type Prompt,
  type Resource,
  type ResourceTemplateType,
  type ServerCapabilities,
  StreamableHTTPClientTransport,
  specTypeSchemas,
  type Tool,
} from '@modelcontextprotocol/client'
import { batch, computed, effect, signal } from '@preact/signals'
import { isObject } from '../forms/schema.js'
import { describeError } from './errors.js'
import { note } from './notifications.js'
import { ask } from './questions.js'
import { type EraName, givenHeaders, mode, page, rootLines } from './settings.js'
import { latestChallenge, recordingFetch } from './wire.js'

const tasksExtension = 'io.modelcontextprotocol/tasks'

/** Longest wait for an answer: a person may be asked in between. */
export const patience = { timeout: 24 * 3600 * 1000, resetTimeoutOnProgress: true } as const

export const capabilities: ClientCapabilities = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {}, context: {} },
  roots: { listChanged: true },
  extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } },
}

/** The `_meta` of a modern request that declares tasks besides. */
export const metaWithTasks = {
  [CLIENT_CAPABILITIES_META_KEY]: {
    ...capabilities,
    extensions: { ...capabilities['extensions'], [tasksExtension]: {} },
  },
}

export interface Lists {
  readonly tools: readonly Tool[]
  readonly prompts: readonly Prompt[]
  readonly resources: readonly Resource[]
  readonly templates: readonly ResourceTemplateType[]
}

const noLists: Lists = { tools: [], prompts: [], resources: [], templates: [] }

export interface LogMessage {
  readonly level: string
  readonly logger?: string | undefined
  readonly data: unknown
}

export type ConnectionState = 'closed' | 'connecting' | 'ready' | 'failed'

export interface InvalidItem {
  /** The item as listed. */
  readonly item: unknown
  readonly problem: string
}

/** Checks of the items of each list, and the item that replaces an invalid one. */
const listKinds = {
  tools: listKind('Tool', 'name', (name) => ({ name, inputSchema: { type: 'object' } })),
  prompts: listKind('Prompt', 'name', (name) => ({ name })),
  resources: listKind('Resource', 'uri', (uri) => ({ uri, name: uri })),
  resourceTemplates: listKind('ResourceTemplate', 'uriTemplate', (uriTemplate) => ({ uriTemplate, name: uriTemplate })),
} as const

function listKind(
  type: 'Tool' | 'Prompt' | 'Resource' | 'ResourceTemplate',
  key: string,
  standIn: (name: string) => object,
) {
  const issuesOf = (item: unknown) => {
    const checked = specTypeSchemas[type]['~standard'].validate(item)
    return checked instanceof Promise ? [] : (checked.issues ?? [])
  }
  const problemOf = (item: unknown): string =>
    issuesOf(item)
      .map(({ path = [], message }) => `${path.map(String).join('.')}: ${message}`)
      .join('; ')
      .slice(0, 500)
  return { key, standIn, problemOf, isValid: (item: unknown) => issuesOf(item).length === 0 }
}

export class Connection {
  readonly state = signal<ConnectionState>('closed')
  readonly error = signal('')
  readonly lists = signal<Lists>(noLists)
  /** Listed items that are invalid, by list and name, such as `tools add`. The lists contain a stand-in for them. */
  readonly invalid = signal<ReadonlyMap<string, InvalidItem>>(new Map())
  readonly revision = signal('')
  readonly info = signal<Implementation | null>(null)
  readonly instructions = signal('')
  readonly capabilities = signal<ServerCapabilities>({})
  /** URIs of resources whose changes are reported. */
  readonly subscribed = signal<readonly string[]>([])
  /** Receives the log messages of running calls. */
  readonly logListeners = new Set<(message: LogMessage) => void>()
  /** Ids of tasks whose calls have not been settled yet. */
  readonly createdTasks: string[] = []
  client: Client | null = null
  #listening: McpSubscription | null = null
  /** Settles when the latest stream has been opened, or has failed. */
  #opening: Promise<void> = Promise.resolve()
  #turn = 0
  /** Invalid items of the lists that are loading. */
  #foundInvalid = new Map<string, InvalidItem>()
  #attempt = 0
  #level = ''

  constructor(readonly era: EraName) {}

  async connect(): Promise<void> {
    const attempt = ++this.#attempt
    const previous = this.client
    this.client = null
    this.#level = ''
    void previous?.close().catch(() => undefined)
    batch(() => {
      this.state.value = 'connecting'
      this.error.value = ''
      // The subscriptions of a legacy session end with it.
      if (this.era === 'legacy') this.subscribed.value = []
    })
    const client = this.#createClient()
    try {
      const transport = new StreamableHTTPClientTransport(new URL(page.endpoint, location.href), {
        fetch: recordingFetch(this.era, givenHeaders),
      })
      // Called before the client's own handler. Transports have no addEventListener.
      // oxlint-disable-next-line unicorn/prefer-add-event-listener
      transport.onmessage = (message) => {
        this.#noteTask(message)
        this.#replaceInvalid(message)
      }
      await client.connect(transport)
      if (attempt !== this.#attempt) return void client.close()
      this.client = client
      batch(() => {
        this.revision.value = client.getNegotiatedProtocolVersion() ?? ''
        this.info.value = client.getServerVersion() ?? null
        this.instructions.value = client.getInstructions() ?? ''
        this.capabilities.value = client.getServerCapabilities() ?? {}
      })
      await this.refresh()
      if (attempt === this.#attempt) this.state.value = 'ready'
      void this.#listen()
    } catch (error) {
      if (attempt !== this.#attempt) return
      batch(() => {
        this.state.value = 'failed'
        this.error.value = describeError(error, latestChallenge(this.era))
        this.lists.value = noLists
      })
    }
  }

  /** Loads all lists again. */
  async refresh(): Promise<void> {
    const { client } = this
    if (client === null) return
    const { tools, prompts, resources } = client.getServerCapabilities() ?? {}
    const fresh = { cacheMode: 'refresh' } as const
    const invalid = new Map<string, InvalidItem>()
    this.#foundInvalid = invalid
    const [toolList, promptList, resourceList, templateList] = await Promise.all([
      tools === undefined ? [] : client.listTools({}, fresh).then((list) => list.tools),
      prompts === undefined ? [] : client.listPrompts({}, fresh).then((list) => list.prompts),
      resources === undefined ? [] : client.listResources({}, fresh).then((list) => list.resources),
      resources === undefined ? [] : client.listResourceTemplates({}, fresh).then((list) => list.resourceTemplates),
    ])
    // Another connection has begun meanwhile, such as with another token.
    if (this.client !== client) return
    batch(() => {
      this.lists.value = { tools: toolList, prompts: promptList, resources: resourceList, templates: templateList }
      this.invalid.value = invalid
    })
  }

  /** Subscribes to a resource, or ends the subscription. */
  async subscribe(uri: string, wanted: boolean): Promise<void> {
    const { client } = this
    if (client === null) return
    const others = this.subscribed.value.filter((each) => each !== uri)
    this.subscribed.value = wanted ? [...others, uri] : others
    if (this.era === 'modern') await this.#listen()
    else if (wanted) await client.subscribeResource({ uri })
    else await client.unsubscribeResource({ uri })
  }

  /** Opens the stream of changes again, with the current filter. One stream opens after the other. */
  async #listen(): Promise<void> {
    const turn = ++this.#turn
    await this.#opening
    if (turn !== this.#turn) return
    this.#opening = this.#openStream()
    await this.#opening
  }

  /** Opens the stream of changes. A legacy client receives them on its session's stream. */
  async #openStream(): Promise<void> {
    const { client, era } = this
    if (client === null || era === 'legacy') return
    const { tools, prompts, resources } = client.getServerCapabilities() ?? {}
    const filter = {
      ...(tools?.listChanged === true ? { toolsListChanged: true } : {}),
      ...(prompts?.listChanged === true ? { promptsListChanged: true } : {}),
      ...(resources?.listChanged === true ? { resourcesListChanged: true } : {}),
      ...(this.subscribed.value.length > 0 ? { resourceSubscriptions: [...this.subscribed.value] } : {}),
    }
    const previous = this.#listening
    this.#listening = null
    try {
      await previous?.close()
      if (Object.keys(filter).length === 0) return
      const listening = await client.listen(filter)
      this.#listening = listening
      void this.#connectAgain(listening, client)
    } catch (error) {
      note(era, 'subscription failed', describeError(error))
    }
  }

  /** Whether the server runs tools as tasks, in this era. */
  get hasTasks(): boolean {
    const { extensions = {} } = this.capabilities.value as { extensions?: object }
    return this.era === 'modern' && tasksExtension in extensions
  }

  /** Sets the level of a legacy session, unless it has it. */
  async setLogLevel(level: 'info' | 'off'): Promise<void> {
    if (level === 'off' || level === this.#level || this.capabilities.value.logging === undefined) return
    this.#level = level
    await this.client?.setLoggingLevel(level)
  }

  /** Connects again when the server has ended the stream, as in a restart. It may serve other features now. */
  async #connectAgain(listening: McpSubscription, client: Client): Promise<void> {
    if ((await listening.closed) === 'local') return
    let delayMs = 250
    while (this.client === client && this.#listening === listening) {
      const wait = delayMs
      // oxlint-disable no-await-in-loop
      await new Promise((resolve) => setTimeout(resolve, wait))
      const isBack = await client.discover().then(
        () => true,
        () => false,
      )
      // oxlint-enable no-await-in-loop
      if (isBack && this.client === client) return this.connect()
      delayMs = Math.min(2 * delayMs, 30_000)
    }
  }

  /** Replaces invalid items of a list, for which the client would reject the whole list. */
  #replaceInvalid(message: object): void {
    const { result } = message as { readonly result?: Record<string, unknown> }
    if (!isObject(result)) return
    for (const [list, { isValid, problemOf, standIn, key }] of Object.entries(listKinds)) {
      const items = result[list]
      if (!Array.isArray(items) || items.every(isValid)) continue
      result[list] = items.map((item: unknown, index) => {
        if (isValid(item)) return item
        const given = isObject(item) ? item[key] : undefined
        const name = typeof given === 'string' ? given : `(item ${index + 1})`
        this.#foundInvalid.set(`${list} ${name}`, { item, problem: problemOf(item) })
        return standIn(name)
      })
    }
  }

  #noteTask(message: object): void {
    const { result } = message as { readonly result?: { readonly resultType?: unknown; readonly taskId?: unknown } }
    if (result?.resultType === 'task' && typeof result.taskId === 'string') this.createdTasks.push(result.taskId)
  }

  #createClient(): Client {
    const { era } = this
    const client = new Client(
      { name: 'toolwright-inspector', version: '1.0.0' },
      { capabilities, versionNegotiation: { mode: era === 'modern' ? { pin: page.modern } : 'legacy' } },
    )
    client.setRequestHandler('elicitation/create', async ({ params }, { mcpReq }) => {
      const kind = params.mode === 'url' ? 'url' : 'form'
      return (await ask(era, kind, { ...params }, mcpReq.signal)) as never
    })
    client.setRequestHandler(
      'sampling/createMessage',
      async ({ params }, { mcpReq }) => (await ask(era, 'sampling', { ...params }, mcpReq.signal)) as never,
    )
    client.setRequestHandler('roots/list', () => ({ roots: readRoots() }))
    client.setNotificationHandler('notifications/message', ({ params }) => {
      for (const listener of this.logListeners) listener(params)
      note(era, 'notifications/message', params)
    })
    for (const kind of ['tools', 'prompts', 'resources'] as const) {
      client.setNotificationHandler(`notifications/${kind}/list_changed`, () => {
        note(era, `notifications/${kind}/list_changed`, {})
        void this.refresh().catch(() => undefined)
      })
    }
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
      note(era, 'notifications/resources/updated', params)
    })
    client.setNotificationHandler('notifications/elicitation/complete', ({ params }) => {
      note(era, 'notifications/elicitation/complete', params)
    })
    return client
  }
}

function readRoots(): { uri: string }[] {
  return rootLines.value
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('file://'))
    .map((uri) => ({ uri }))
}

export const connections: Readonly<Record<EraName, Connection>> = {
  modern: new Connection('modern'),
  legacy: new Connection('legacy'),
}

export const activeEras = computed<readonly EraName[]>(() =>
  mode.value === 'both' ? ['modern', 'legacy'] : [mode.value],
)

/** The connection whose lists are shown. With both eras, the modern one unless it failed. */
export const primary = computed<Connection>(() => {
  const active = activeEras.value.map((era) => connections[era])
  return active.find(({ state }) => state.value === 'ready') ?? (active[0] as Connection)
})

/** Connects the eras that are shown and not connected yet. */
effect(() => {
  for (const era of activeEras.value) {
    if (connections[era].state.peek() === 'closed') queueMicrotask(() => void connections[era].connect())
  }
})

/** Connects again, such as with another token. */
export function reconnect(): void {
  for (const era of Object.keys(connections) as EraName[]) {
    const connection = connections[era]
    if (activeEras.value.includes(era)) void connection.connect()
    else connection.state.value = 'closed'
  }
}
