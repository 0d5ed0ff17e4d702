// Node's fetch times out after 300 seconds without a byte, and many proxies after 60 seconds: longer silent calls were
// lost.
import { type Authenticator, McpCompletion, McpPrompt, McpResource } from '@toolwright/core'
import {
  closeApps,
  connectTo,
  headersOf,
  legacyMessage,
  listen,
  type Message,
  messagesIn,
  messagesOf,
  modernMessage,
  openApp,
  openSession,
  type TestTool,
  toolCall,
} from '../../../../test/support/client/index.js'
import { delay } from '../../../../test/support/delay.js'
import { createGate, type Gate } from '../../../../test/support/gate.js'
import { until } from '../../../../test/support/until.js'

let gate: Gate
beforeEach(() => {
  gate = createGate()
})
afterEach(async () => {
  gate.open()
  await closeApps()
})

const waits: TestTool = { name: 'wait', handler: () => gate.opened.then(() => 'done') }
const fails: TestTool = { name: 'fail', handler: () => gate.opened.then(() => Promise.reject(new Error('late'))) }
const quick: TestTool = { name: 'quick', handler: () => 'quick' }

class Waiting {
  @McpPrompt('wait')
  async prompt(): Promise<string> {
    await gate.opened
    return 'done'
  }

  @McpResource('wait://{it}')
  async resource(): Promise<string> {
    await gate.opened
    return 'done'
  }

  @McpCompletion({ resource: 'wait://{it}', argument: 'it' })
  async completion(): Promise<string[]> {
    await gate.opened
    return ['done']
  }
}

const keepAliveMs = 20
const json = 'application/json; charset=utf-8'
const events = 'text/event-stream'
const requests: readonly [string, object][] = [
  ['tools/call', toolCall('wait')],
  ['tools/call', toolCall('fail')],
  ['prompts/get', { name: 'wait' }],
  ['resources/read', { uri: 'wait://it' }],
  ['completion/complete', { ref: { type: 'ref/resource', uri: 'wait://{it}' }, argument: { name: 'it', value: '' } }],
]

interface Sent {
  readonly head: Response
  /** The rest of the body after the first bytes. */
  readonly text: Promise<string>
}

/** Resolves with the first bytes of the body. */
async function send(port: number, message: unknown, headers: Record<string, string>): Promise<Sent> {
  const usual = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const body = JSON.stringify(message)
  const head = await fetch(`http://127.0.0.1:${port}/mcp`, { method: 'POST', headers: { ...usual, ...headers }, body })
  return { head, text: head.text() }
}

async function openWaiting(options: object = {}): Promise<{ app: Awaited<ReturnType<typeof openApp>>; port: number }> {
  const app = await openApp({ tools: [waits, fails, quick], controllers: [Waiting], keepAliveMs, ...options })
  return { app, port: await listen(app) }
}

describe.each(['modern', 'legacy'] as const)('a silent %s call without a session', (era) => {
  const build = (method: string, params: object): { message: Message; headers: Record<string, string> } => {
    if (era === 'legacy') {
      return { message: legacyMessage(method, params as never), headers: { 'mcp-protocol-version': '2025-06-18' } }
    }
    const message = modernMessage(method, params as never)
    return { message, headers: headersOf(message) }
  }

  it.each(requests)('of %s gets an event stream: %j', async (method, params) => {
    const { port } = await openWaiting()
    const { message, headers } = build(method, params)

    const { head, text } = await send(port, message, headers)
    expect([head.status, head.headers.get('content-type')]).toEqual([200, events])
    gate.open()

    expect(await text).toMatch(/^: keep-alive\n\n/)
    const [answer, ...others] = messagesOf(await text)
    expect(others).toEqual([])
    expect(answer).toMatchObject({ jsonrpc: '2.0', id: 1, result: expect.any(Object) })
  })

  it('is kept alive by comments until its result', async () => {
    const { port } = await openWaiting()
    const { message, headers } = build('tools/call', toolCall('wait'))
    const { text } = await send(port, message, headers)
    setTimeout(() => gate.open(), 5 * keepAliveMs)
    expect((await text).match(/^: keep-alive$/gm)?.length).toBeGreaterThan(1)
  })

  it('gets JSON if the client accepts no event streams', async () => {
    const { port } = await openWaiting()
    const { message, headers } = build('tools/call', toolCall('wait'))

    const sent = send(port, message, { ...headers, accept: 'application/json' })
    setTimeout(() => gate.open(), 3 * keepAliveMs)

    const { head, text } = await sent
    expect([head.status, head.headers.get('content-type')]).toEqual([200, json])
    expect(JSON.parse(await text)).toMatchObject({ id: 1, result: { content: [{ text: 'done' }] } })
  })

  it('that ends earlier gets JSON, and so do rejections', async () => {
    const { app } = await openWaiting()
    const sendTo = (name: string) => {
      const { message, headers } = build('tools/call', toolCall(name))
      return connectTo(app, { era: 'legacy' }).send(message, headers)
    }
    for (const reply of [await sendTo('quick'), await sendTo('missing')]) {
      expect([reply.status, reply.headers['content-type']]).toEqual([200, json])
    }
  })
})

test('a rejection that takes longer than keepAliveMs keeps its status', async () => {
  const policy = (): Promise<boolean> => delay(4 * keepAliveMs).then(() => false)
  const guarded: TestTool = { name: 'guarded', authorize: { policy }, handler: () => 'never' }
  const authentication: Authenticator = {
    authenticate: async () => ({ subject: 'alice', roles: [], scopes: [], claims: {} }),
  }
  const { app } = await openWaiting({ tools: [guarded], controllers: [], authentication })
  const reply = await connectTo(app).call('guarded')
  expect([reply.status, reply.headers['content-type']]).toEqual([403, json])
})

test('a call whose policy takes longer than keepAliveMs gets a stream when its handler starts', async () => {
  const policy = (): Promise<boolean> => delay(2 * keepAliveMs).then(() => true)
  const slow: TestTool = { name: 'slow', authorize: { policy }, handler: () => gate.opened.then(() => 'done') }
  const authentication: Authenticator = {
    authenticate: async () => ({ subject: 'alice', roles: [], scopes: [], claims: {} }),
  }
  const { port } = await openWaiting({ tools: [slow], controllers: [], authentication })
  const message = modernMessage('tools/call', toolCall('slow'))
  const { head, text } = await send(port, message, headersOf(message))
  expect(head.headers.get('content-type')).toBe(events)
  gate.open()
  expect(messagesOf(await text)).toMatchObject([{ result: { content: [{ text: 'done' }] } }])
})

describe.each(['2025-03-26', '2025-11-25'])('a silent call in a session of %s', (version) => {
  it('gets a resumable stream', async () => {
    const { app } = await openWaiting()
    const client = await openSession(app, { version })

    const reader = await client.stream(legacyMessage('tools/call', toolCall('wait'), 'mine'))
    expect(reader.response.headers['content-type']).toBe(events)
    gate.open()

    const sent = await reader.rest()
    expect(messagesIn(sent)).toEqual([
      { jsonrpc: '2.0', id: 'mine', result: { content: [{ type: 'text', text: 'done' }] } },
    ])
    expect(sent.at(-1)?.id).toEqual(expect.any(String))
    client.close()
  })
})

test('a silent call with streamAnswers, but no session, gets a stream', async () => {
  const { port } = await openWaiting({ streamAnswers: true })
  const message = modernMessage('tools/call', toolCall('wait'))
  const { head, text } = await send(port, message, headersOf(message))
  expect(head.headers.get('content-type')).toBe(events)
  gate.open()
  expect(messagesOf(await text)).toMatchObject([{ id: 1, result: { content: [{ text: 'done' }] } }])
})

describe('a silent batch', () => {
  const batch = [legacyMessage('tools/call', toolCall('quick'), 1), legacyMessage('tools/call', toolCall('wait'), 2)]

  it('gets a stream', async () => {
    const { port } = await openWaiting()
    const { head, text } = await send(port, batch, { 'mcp-protocol-version': '2025-03-26' })
    expect(head.headers.get('content-type')).toBe(events)
    gate.open()
    const ids = messagesOf(await text)
      .flat()
      .map(({ id }: { id: number }) => id)
    expect(ids).toEqual([1, 2])
  })

  it('gets a stream in a session', async () => {
    const { app } = await openWaiting()
    const client = await openSession(app, { version: '2025-03-26' })
    const reader = await client.stream(batch)
    expect(reader.response.headers['content-type']).toBe(events)
    gate.open()
    expect(messagesIn(await reader.rest()).flat()).toMatchObject([{ id: 1 }, { id: 2 }])
    client.close()
  })
})

test('a silent call in a legacy session runs to its end after its client has disconnected', async () => {
  let [hasStarted, hasEnded] = [false, false]
  const handler = async (): Promise<void> => {
    hasStarted = true
    await gate.opened
    hasEnded = true
  }
  const { app } = await openWaiting({ tools: [{ name: 'long', handler }] })
  const client = await openSession(app)
  const leave = await client.abandon(legacyMessage('tools/call', toolCall('long')))
  await until(() => hasStarted)
  leave()
  await delay(3 * keepAliveMs)
  gate.open()
  await until(() => hasEnded)
  expect(hasEnded).toBe(true)
  client.close()
})
