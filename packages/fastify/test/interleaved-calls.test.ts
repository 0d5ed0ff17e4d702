// The promise of isolation against a model: what each call must see is known before it is made.
import { randomUUID } from 'node:crypto'
import {
  connectInMemory,
  createServer,
  injectable,
  Lifecycle,
  McpContext,
  type McpServer,
  McpTool,
  type Principal,
  type ServerOptions,
  type Static,
  scoped,
  Type,
} from '@toolwright/core'
import { frames } from '../../../test/support/frames/frames.js'
import { seeded } from './support/random.js'
import {
  call,
  closeApps,
  eventsOf,
  headersOf,
  initialize,
  legacy,
  legacyVersions,
  listen,
  type Message,
  metaKeys,
  modern,
  modernVersion,
  openApp,
} from './support/wire.js'

const random = seeded(7)
const versions = [...legacyVersions, modernVersion]

/** Mostly as short as waiting can be, so that calls overlap in every way and the test ends. */
function pause(): Promise<void> {
  const chance = random()
  if (chance < 0.4) return Promise.resolve()
  return new Promise((resolve) => (chance < 0.9 ? setImmediate(resolve) : setTimeout(resolve, random() * 3)))
}

/** One for each call. */
@scoped(Lifecycle.ContainerScoped)
class Notebook {
  readonly id = randomUUID()
  readonly notes: string[] = []

  constructor(readonly context: McpContext) {}
}

const Work = Type.Object({ number: Type.Integer(), secret: Type.String() })

@injectable()
class WorkTools {
  constructor(private readonly notebook: Notebook) {}

  @McpTool({ input: Work })
  async work({ number, secret }: Static<typeof Work>, context: McpContext): Promise<object> {
    const { notebook } = this
    notebook.notes.push(secret)
    context.progress(number)
    await pause()
    notebook.notes.push(secret)
    context.sendLogMessage('info', { secret, subject: notebook.context.principal?.subject ?? null })
    await pause()
    const { principal, protocolVersion, requestId } = notebook.context
    return {
      secret,
      notebook: notebook.id,
      notes: notebook.notes,
      protocolVersion,
      requestId,
      subject: principal?.subject,
    }
  }
}

const options: Partial<ServerOptions> = { controllers: [WorkTools] }

/** What the server tells about one call, in order. */
// oxlint-disable-next-line typescript/no-explicit-any
type Told = any

/** A call is always number 1, and so is its token. */
function workCall(version: string, number: number, secret: string): Message {
  const params = { ...call('work', { number, secret }), _meta: { progressToken: 1 } }
  return version === modernVersion
    ? modern('tools/call', params, { [metaKeys.logLevel]: 'info' })
    : legacy('tools/call', params)
}

/** Every notebook so far: none may serve a second call. */
const notebooks = new Set<string>()

/** What is wrong with what was told of a call; `undefined` when it is what the model says. */
function crossed(told: Told[], version: string, number: number, secret: string, subject?: string): string | undefined {
  const [progress, log, { id, result }] = told
  const { notebook, ...returned } = JSON.parse(result.content[0].text)
  const isNew = !notebooks.has(notebook)
  notebooks.add(notebook)
  const expected = [
    { progressToken: 1, progress: number },
    { level: 'info', data: { secret, subject: subject ?? null } },
    {
      secret,
      notes: [secret, secret],
      protocolVersion: version,
      requestId: 1,
      ...(subject === undefined ? {} : { subject }),
    },
  ]
  const isRight = JSON.stringify([progress.params, log.params, returned]) === JSON.stringify(expected)
  return told.length === 3 && id === 1 && isNew && isRight ? undefined : JSON.stringify({ told, expected })
}

describe('20 principals', () => {
  const principals = Array.from(
    { length: 20 },
    (_, index): Principal => ({ subject: `principal-${index}`, roles: [], scopes: [], claims: {} }),
  )

  /** Calls one after the other, in one revision. */
  async function callOften(server: McpServer, principal: Principal, version: string): Promise<readonly string[]> {
    const faults: string[] = []
    let told: Told[] = []
    let answered: () => void = () => undefined
    const client = connectInMemory(server, {
      principal,
      onMessage: (message: Told) => {
        told.push(message)
        if (message.method === undefined) answered()
      },
    })
    const ask = (message: Message): Promise<void> => {
      told = []
      client.send(message)
      return new Promise((resolve) => {
        answered = resolve
      })
    }
    if (version !== modernVersion) await ask(initialize(version))
    for (let number = 1; number <= 1000; number++) {
      const secret = `${principal.subject} ${version} ${number}`
      // oxlint-disable-next-line no-await-in-loop
      await ask(workCall(version, number, secret))
      const fault = crossed(told, version, number, secret, principal.subject)
      if (fault !== undefined) faults.push(fault)
    }
    await client.close()
    return faults
  }

  it('make 5,000 calls each at a time, all with the id 1, and none gets anything of another', async () => {
    frames.oneOf = 100
    notebooks.clear()
    const server = await createServer({ name: 'wire', version: '1.0.0', controllers: [WorkTools] })
    const clients = principals.flatMap((principal) => versions.map((version) => callOften(server, principal, version)))
    const faults = (await Promise.all(clients)).flat()
    await server.close()

    expect(faults).toEqual([])
    expect(notebooks.size).toBe(100_000)
  }, 240_000)
})

describe('20 clients over HTTP', () => {
  afterEach(closeApps)

  async function callOverHttp(url: string, version: string, client: number): Promise<readonly string[]> {
    const faults: string[] = []
    const usual = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const send = (message: Message, headers: Record<string, string> = {}) =>
      fetch(url, { method: 'POST', headers: { ...usual, ...headers }, body: JSON.stringify(message) })
    const session = version === modernVersion ? null : (await send(initialize(version))).headers.get('mcp-session-id')
    for (let number = 1; number <= 10; number++) {
      const secret = `client-${client} ${version} ${number}`
      const message = workCall(version, number, secret)
      // oxlint-disable-next-line no-await-in-loop
      const response = await send(message, session === null ? headersOf(message) : { 'mcp-session-id': session })
      // oxlint-disable-next-line no-await-in-loop
      const fault = crossed(eventsOf(await response.text()), version, number, secret)
      if (fault !== undefined) faults.push(fault)
    }
    return faults
  }

  it('make 50 calls each at a time, all with the id 1, and none gets anything of another', async () => {
    frames.oneOf = 10
    notebooks.clear()
    const app = await openApp(options)
    const url = `http://127.0.0.1:${await listen(app)}/mcp`
    const clients = Array.from({ length: 20 }, (_, index) =>
      versions.map((version) => callOverHttp(url, version, index)),
    )

    expect((await Promise.all(clients.flat())).flat()).toEqual([])
    expect(notebooks.size).toBe(1000)
  }, 240_000)
})
