import { PassThrough } from 'node:stream'
import { Type } from '@toolwright/core'
import { serveStdio } from '@toolwright/server/stdio'
import type { FastifyInstance } from 'fastify'
import {
  closeApps,
  connectTo,
  headersOf,
  legacyMessage,
  openApp,
  type TestClient,
  type TestTool,
  toolCall,
} from '../../../../test/support/client/index.js'
import { sendsHostileRequests } from '../../../../test/support/frames/frames.js'
import { legacyMessages, modernMessages, type Outcome } from '../support/hostile-messages.js'

// A hostile message may be served: then its result is checked.
beforeEach(sendsHostileRequests)

const number = { type: 'number' }
const loose = { type: 'object', additionalProperties: true }

const tools: TestTool[] = [
  { name: 'echo', inputSchema: loose, handler: (args) => JSON.stringify(args).slice(0, 100) },
  { name: 'none', handler: () => 'ran' },
  {
    name: 'strict',
    inputSchema: { type: 'object', properties: { n: number }, required: ['n'], additionalProperties: false },
    handler: () => 'ran',
  },
  { name: 'map', inputSchema: { type: 'object', additionalProperties: number }, handler: () => 'ran' },
  {
    name: 'list',
    inputSchema: { type: 'object', properties: { list: { type: 'array', items: number } } },
    handler: () => 'ran',
  },
  {
    name: 'unique',
    inputSchema: { type: 'object', properties: { list: { type: 'array', uniqueItems: true } } },
    handler: () => 'ran',
  },
  {
    name: 'steps',
    handler: (_args, context) => {
      for (let step = 1; step <= 20; step++) context.progress(step, 20)
      return 'ran'
    },
  },
]

const maxErrorLength = 4096

/** Internal names that must not be disclosed. */
const internals = /node_modules|node:internal|\.ts\b|\.js\b|\bat .*:\d+:\d+|TypeError|RangeError|undefined|\[object/

async function openHostileApp(): Promise<FastifyInstance> {
  const app = await openApp({ tools })
  // Schemas of the other kind, for the other validator.
  const input = Type.Object({ n: Type.Number(), s: Type.Optional(Type.String()) }, { additionalProperties: false })
  app.mcp.catalog.addTool({ name: 'typed', input, handler: () => 'ran' })
  const list = Type.Object({ list: Type.Array(Type.Number()) })
  app.mcp.catalog.addTool({ name: 'typed_list', input: list, handler: () => 'ran' })
  const either = Type.Union([Type.String(), Type.Object({ a: Type.Optional(Type.Number({ default: 1 })) })])
  const defaulted = Type.Object({ list: Type.Array(either), unit: Type.Optional(Type.String({ default: 'C' })) })
  app.mcp.catalog.addTool({ name: 'defaulted', input: defaulted, handler: () => 'ran' })
  const map = Type.Object({}, { additionalProperties: Type.Number() })
  app.mcp.catalog.addTool({ name: 'typed_map', input: map, handler: () => 'ran' })
  return app
}

interface Answer {
  readonly result?: { readonly isError?: boolean }
  readonly error?: { readonly code: number; readonly message: string }
}

function outcomeOf({ result, error }: Answer): Outcome {
  if (error !== undefined) return error.code
  return result?.isError === true ? 'isError' : 'ok'
}

/** Requirements for every error response. */
function expectHarmless(text: string): void {
  expect(Buffer.byteLength(text)).toBeLessThan(maxErrorLength)
  expect(text).not.toMatch(internals)
}

function statusOf(outcome: Outcome): number {
  if (outcome === 'silent') return 202
  return outcome === -32700 || outcome === -32600 ? 400 : 200
}

/** Global state that hostile keys could have changed. */
function globals(): string {
  const prototypes = [Object, Array, Function, String, Number, Promise, Map].map(({ prototype }) => prototype as object)
  return JSON.stringify(prototypes.map((prototype) => Reflect.ownKeys(prototype).map(String)))
}

const before = globals()

/** No message has changed anything for other callers. */
async function expectUnharmed(app: FastifyInstance): Promise<void> {
  expect(globals()).toBe(before)
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  const { json } = await connectTo(app, { era: 'legacy' }).call('strict', { n: 1 })
  expect(json.result.content[0].text).toBe('ran')
}

function kindsOf(messages: readonly { readonly kind: string }[]): readonly string[] {
  return [...new Set(messages.map(({ kind }) => kind))]
}

/** Processor time of this process, because wall-clock time depends on the load of the machine. */
function cpuMsSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000
}

afterAll(closeApps)

it('there are several hundred hostile messages', () => {
  expect(legacyMessages.length + modernMessages.length).toBeGreaterThan(500)
})

describe('hostile messages over HTTP', () => {
  let app: FastifyInstance
  let client: TestClient

  beforeAll(async () => {
    app = await openHostileApp()
    client = connectTo(app, { era: 'legacy' })
  })

  it.each(kindsOf(legacyMessages))('%s', async (kind) => {
    for (const { body, outcome } of legacyMessages.filter((message) => message.kind === kind)) {
      const start = process.cpuUsage()
      // oxlint-disable-next-line no-await-in-loop
      const { status, text, json } = await client.send(body, { 'mcp-protocol-version': '2025-11-25' })

      const sent = String(body).slice(0, 200)
      expect({ sent, isFast: cpuMsSince(start) < 2000 }).toStrictEqual({ sent, isFast: true })
      expect({ sent, status, got: outcome === 'silent' ? text : outcomeOf(json) }).toStrictEqual({
        sent,
        status: statusOf(outcome),
        got: outcome === 'silent' ? '' : outcome,
      })
      expectHarmless(outcome === 'ok' ? '' : text)
    }
    await expectUnharmed(app)
  })

  it.each(kindsOf(modernMessages))('modern: %s', async (kind) => {
    for (const { message, outcome, status } of modernMessages.filter((hostile) => hostile.kind === kind)) {
      const headers = { ...headersOf(message), accept: 'application/json' }
      // Names that cannot be sent in a header are not sent.
      const sendable = Object.fromEntries(Object.entries(headers).filter(([, value]) => /^[ -~]*$/.test(value)))

      // oxlint-disable-next-line no-await-in-loop
      const reply = await client.send(message, sendable)

      const sent = JSON.stringify(message).slice(0, 200)
      expect({ sent, id: reply.json.id, status: reply.status, got: outcomeOf(reply.json) }).toStrictEqual({
        sent,
        id: 1,
        status,
        got: outcome,
      })
      expectHarmless(outcome === 'ok' ? '' : reply.text)
    }
    await expectUnharmed(app)
  })

  it('a progress token of a megabyte is not echoed', async () => {
    const params = { ...toolCall('steps'), _meta: { progressToken: 'x'.repeat(1_000_000) } }

    const { text } = await client.request('tools/call', params)

    expect(text.length).toBeLessThan(maxErrorLength)
  })

  it.each<[string, Record<string, string>, number]>([
    ['a version header of 8 kB', { 'mcp-protocol-version': 'x'.repeat(8000) }, 400],
    ['an Accept header of 8 kB', { accept: 'x/y,'.repeat(2000) }, 406],
    ['an Accept header of commas', { accept: ','.repeat(8000) }, 406],
    ['an Accept header of parameters', { accept: `text/html${';q=0 '.repeat(1500)}` }, 406],
    ['an Accept header of white space', { accept: `;${' '.repeat(8000)}x` }, 406],
    ['a content type of 8 kB', { 'content-type': `application/${'x'.repeat(8000)}` }, 415],
    ['a content type with many parameters', { 'content-type': `application/json${'; a=b'.repeat(1500)}` }, 200],
    ['an invalid content type', { 'content-type': '/;=,' }, 415],
    ['a session of 8 kB', { 'mcp-session-id': 'x'.repeat(8000) }, 404],
    ['a session id from Object.prototype', { 'mcp-session-id': '__proto__' }, 404],
    ['an origin of 8 kB', { origin: `http://${'a'.repeat(8000)}` }, 403],
    ['an origin of dots', { origin: `http://${'.'.repeat(8000)}` }, 403],
    ['a host of 8 kB', { host: 'a'.repeat(8000) }, 403],
    ['a host of colons', { host: ':'.repeat(8000) }, 403],
    ['an event to resume after', { 'last-event-id': '\u0001' }, 200],
    ['header names from Object.prototype', { constructor: 'x', tostring: 'x', 'mcp-param-__proto__': 'x' }, 200],
  ])('%s', async (_what, headers, expected) => {
    const start = process.cpuUsage()
    const { status, text } = await client.send(legacyMessage('ping'), headers)

    expect([status, cpuMsSince(start) < 2000]).toStrictEqual([expected, true])
    expectHarmless(status === 200 ? '' : text)
  })

  it.each<[string, Record<string, string>]>([
    ['a name of white space', { 'mcp-name': ' '.repeat(8000) }],
    ['a name within white space', { 'mcp-name': `a${' \t'.repeat(4000)}a` }],
    ['a name of Base64', { 'mcp-name': `=?base64?${'A'.repeat(8000)}?=` }],
    ['a name of broken Base64', { 'mcp-name': `=?base64?${'='.repeat(8000)}?=` }],
    ['a method of 8 kB', { 'mcp-method': 'x'.repeat(8000) }],
    ['a version of 8 kB', { 'mcp-protocol-version': '9'.repeat(8000) }],
  ])('modern: %s', async (_what, headers) => {
    const [{ message }] = modernMessages.filter(({ kind }) => kind === 'an unknown tool') as [
      (typeof modernMessages)[0],
    ]

    const start = process.cpuUsage()
    const { status, json, text } = await client.send(message, { ...headersOf(message), ...headers })

    expect([status, json.error.code, cpuMsSince(start) < 2000]).toStrictEqual([400, -32020, true])
    expectHarmless(text)
  })

  it('batches of hostile messages are answered one by one', async () => {
    const chosen = legacyMessages
      .filter(({ body, outcome }) => typeof body === 'string' && body.length < 10_000 && outcome !== -32700)
      .flatMap(({ body }) => parsed(body as string))
      .filter((message) => !Array.isArray(message) && message?.method !== 'initialize')
      .slice(0, 100)
    const text = JSON.stringify(chosen)

    const { status, json } = await client.send(text)

    expect(status).toBe(200)
    expect(json.length).toBeGreaterThan(80)
    for (const answer of json) expectHarmless(outcomeOf(answer) === 'ok' ? '' : JSON.stringify(answer))
  })
})

describe('hostile messages over stdio', () => {
  it('are answered in order, and the next message is served', async () => {
    const { mcp: server } = await openHostileApp()
    const input = new PassThrough()
    const output = new PassThrough()
    const served = serveStdio(server, { input, output })
    const lines = createLineQueue(output)
    const probe = `${JSON.stringify(legacyMessage('ping', {}, 'probe'))}\n`

    for (const { kind, body, outcome } of legacyMessages) {
      // A message with a line break is two lines.
      if (body.includes('\n')) continue
      input.write(Buffer.concat([Buffer.from(body), Buffer.from('\n'), Buffer.from(probe)]))
      const answers: string[] = []
      // oxlint-disable-next-line no-await-in-loop
      for (let line = await lines.next(); ; line = await lines.next()) {
        if (line.includes('"probe"')) break
        answers.push(line)
      }
      const outcomes = answers.map((line) => outcomeOf(JSON.parse(line) as Answer))
      expect([kind, ...outcomes]).toStrictEqual([kind, ...(outcome === 'silent' ? [] : [outcome])])
      if (outcome !== 'ok') for (const line of answers) expectHarmless(line)
    }
    for (const { kind, message, outcome } of modernMessages) {
      input.write(`${JSON.stringify({ ...message, params: { ...message.params } })}\n`)
      // oxlint-disable-next-line no-await-in-loop
      let line = await lines.next()
      // oxlint-disable-next-line no-await-in-loop
      while (line.includes('notifications/progress')) line = await lines.next()
      expect([kind, outcomeOf(JSON.parse(line) as Answer)]).toStrictEqual([kind, outcome])
    }
    input.end()
    await served
    // Several megabytes, one after the other, which take seconds on a busy machine.
  }, 30_000)
})

/** The parsed value, in a list; an empty list for invalid JSON. */
function parsed(text: string): ({ readonly method?: unknown } | null)[] {
  try {
    return [JSON.parse(text) as { method?: unknown } | null]
  } catch {
    return []
  }
}

/** The lines of a stream, one at a time. */
function createLineQueue(stream: PassThrough): { next(): Promise<string> } {
  const ready: string[] = []
  const waiting: ((line: string) => void)[] = []
  let rest = ''
  stream.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() as string
    for (const line of lines) {
      const resolve = waiting.shift()
      if (resolve === undefined) ready.push(line)
      else resolve(line)
    }
  })
  return {
    next: () => {
      const line = ready.shift()
      return line === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(line)
    },
  }
}
