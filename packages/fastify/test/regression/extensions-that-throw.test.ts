import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { connectInMemory, type Extension } from '@toolwright/core'
import { ForwardedExchange } from '@toolwright/core/extension'
import { type Answer } from '@toolwright/core/transport'
import { createServer } from '@toolwright/server'
import { serveStdio } from '@toolwright/server/stdio'
import type { FastifyInstance } from 'fastify'
import {
  closeApps,
  connectTo,
  legacyMessage,
  listen,
  openApp,
  type TestTool,
  toolCall,
} from '../../../../test/support/client/index.js'
import { createGate } from '../../../../test/support/gate.js'
import { until } from '../../../../test/support/until.js'
import { openSocket } from '../support/web-socket-client.js'

// An error that no one catches, or an unhandled rejection, fails the test that is running: Jest listens for both.

const log = (): void => undefined
const logger = { child: () => logger, debug: log, error: log, fatal: log, info: log, trace: log, warn: log } as never

afterEach(closeApps)

const boom = (): never => {
  throw new Error('boom')
}
const reject = async (): Promise<never> => boom()

class Unanswered extends ForwardedExchange {
  protected override sendAnswer(_answer: Answer): void {
    boom()
  }
}

const receivers: Readonly<Record<string, NonNullable<Extension['receive']>>> = {
  throws: boom,
  rejects: reject,
  'throws after it has passed on the message': (exchange, next) => {
    next(exchange)
    if ((exchange.message as { method?: string }).method === 'tools/call') boom()
  },
  // The tool would wait for ever.
  'throws when it changes the answer': (exchange, next) =>
    next(new Unanswered(exchange, { message: { ...(exchange.message as object), method: 'ping' } })),
}

const request = legacyMessage('tools/call', toolCall('wait'), 'seven')

const failure = {
  jsonrpc: '2.0',
  id: 'seven',
  error: { code: -32603, message: expect.stringContaining('Internal error') },
}

/** A tool that runs until its call is cancelled. */
function waitingTool(): TestTool {
  return {
    name: 'wait',
    inputSchema: { type: 'object' },
    handler: (_args, { signal }) => new Promise((resolve) => signal.addEventListener('abort', resolve)),
  }
}

/** The answer over each transport. */
const transports: Readonly<Record<string, (extension: Extension) => Promise<unknown>>> = {
  http: async (extension) => {
    const client = connectTo(await openWith(extension), { era: 'legacy' })
    const { status, json } = await client.send(request)
    expect(status).toBe(500)
    return json
  },
  rpc: async (extension) => {
    const app = await openWith(extension, { rpc: true })
    const response = await app.inject({ method: 'POST', url: '/rpc', payload: request })
    expect(response.statusCode).toBe(500)
    return response.json()
  },
  websocket: async (extension) => (await openSocket(await listen(await openWith(extension)))).request(request),
  'in memory': async (extension) => {
    const server = await createServer({ name: 'x', version: '1', controllers: [], extensions: [extension], logger })
    server.catalog.addTool(waitingTool())
    const answer = await new Promise((onMessage) => connectInMemory(server, { onMessage }).send(request))
    await server.close()
    return answer
  },
  stdio: async (extension) => {
    const server = await createServer({ name: 'x', version: '1', controllers: [], extensions: [extension], logger })
    server.catalog.addTool(waitingTool())
    const [input, output] = [new PassThrough(), new PassThrough()]
    const serving = serveStdio(server, { input, output })
    input.write(`${JSON.stringify(request)}\n`)
    const [line] = (await once(output, 'data')) as [Buffer]
    input.end()
    await serving
    return JSON.parse(line.toString())
  },
}

function openWith(extension: Extension, options = {}): Promise<FastifyInstance> {
  return openApp({ tools: [waitingTool()], webSocket: true, extensions: [extension], ...options })
}

describe.each(Object.entries(transports))('a request over %s', (_name, answerOf) => {
  test.each(Object.entries(receivers))(
    'gets an internal error with its id if an extension %s',
    async (_how, receive) => {
      expect(await answerOf({ id: 'com.example/a', receive })).toEqual(failure)
    },
  )
})

test('a batch gets the error for the part whose extension throws', async () => {
  const receive: Extension['receive'] = (exchange, next) => {
    if ((exchange.message as { id?: unknown }).id === 2) boom()
    next(exchange)
  }
  const server = await createServer({
    name: 'x',
    version: '1',
    controllers: [],
    logger,
    extensions: [{ id: 'com.example/a', receive, acceptsBatch: () => true }],
  })
  const batch = [legacyMessage('ping', {}, 1), legacyMessage('ping', {}, 2)]
  const answer = await new Promise((onMessage) => connectInMemory(server, { onMessage }).send(batch))
  expect(answer).toEqual([
    { jsonrpc: '2.0', id: 1, result: {} },
    { ...failure, id: 2 },
  ])
  await server.close()
})

test.each([
  ['acceptsBatch throws', { acceptsBatch: boom }],
  ['acceptsBatch rejects', { acceptsBatch: reject as never }],
])('a batch gets an error if %s', async (_what, members) => {
  const extensions = [{ id: 'com.example/a', ...members }]
  const server = await createServer({ name: 'x', version: '1', controllers: [], extensions, logger })
  const batch = [legacyMessage('ping', {}, 1)]
  const answer = await new Promise((onMessage) => connectInMemory(server, { onMessage }).send(batch))
  expect(answer).toMatchObject({ error: { code: -32603 } })
  await server.close()
})

test.each([
  ['settings throw', { settings: boom }],
  ['settings reject', { settings: reject as never }],
])('the handshake gets an error with its id if %s', async (_what, members) => {
  const client = connectTo(await openApp({ extensions: [{ id: 'com.example/a', ...members }] }))
  const { json } = await client.request('server/discover')
  expect(json).toMatchObject({ id: 1, error: { code: -32603 } })
})

describe('the server survives an extension whose WebSocket handler', () => {
  const isAlive = async (app: FastifyInstance): Promise<void> => {
    const socket = await openSocket(await listen(app))
    expect(await socket.request(legacyMessage('ping'))).toMatchObject({ result: {} })
    socket.socket.close()
    await socket.closed
  }
  const handled = (handler: object): Extension => ({
    id: 'com.example/a',
    webSocket: () => () => handler,
  })

  test.each([
    ['throws', boom],
    ['rejects', reject],
  ])('%s when the client leaves', async (_how, disconnected) => {
    let left = 0
    const app = await openWith(handled({ disconnected: () => (left++, disconnected()) }))
    await isAlive(app)
    await until(() => left === 1)
    await isAlive(app)
    expect(app.server.listening).toBe(true)
  })

  test.each([
    ['throws', boom],
    ['rejects', reject],
    ['returns no handler', () => undefined],
  ])('%s when the client connects', async (_how, open) => {
    let isBroken = true
    const extension: Extension = { id: 'com.example/a', webSocket: () => () => (isBroken ? (open() as never) : {}) }
    const app = await openWith(extension)
    const port = await listen(app)
    const socket = await openSocket(port)
    expect(await socket.closed).toEqual([1006, ''])
    isBroken = false
    await isAlive(app)
  })

  test.each([
    ['throws', boom],
    ['rejects', reject],
  ])('%s when the server closes', async (_how, closing) => {
    const gate = createGate()
    let calls = 0
    const wait: TestTool = {
      name: 'wait',
      inputSchema: { type: 'object' },
      handler: async () => {
        calls++
        await gate.opened
        return 'done'
      },
    }
    const app = await openApp({ tools: [wait], webSocket: true, extensions: [handled({ closing })] })
    const socket = await openSocket(await listen(app))
    const answer = socket.request(request)
    await until(() => calls === 1)
    const closed = app.close()
    gate.open()
    expect(await answer).toMatchObject({ id: 'seven', result: { content: [{ text: 'done' }] } })
    await closed
    expect(await socket.closed).toEqual([1001, 'the server is closing'])
  })

  test.each([
    ['receiveText throws', { receiveText: boom }, '{}'],
    ['receiveText rejects', { receiveText: reject }, '{}'],
    ['receiveBinary throws', { receiveBinary: boom }, Buffer.from('x')],
    ['receiveBinary rejects', { receiveBinary: reject }, Buffer.from('x')],
  ])('%s', async (_what, handler, frame) => {
    const app = await openWith(handled(handler))
    const socket = await openSocket(await listen(app))
    socket.send(frame)
    expect(await socket.closed).toEqual([1006, ''])
    expect(app.server.listening).toBe(true)
  })

  test('throws when a frame was sent', async () => {
    const sent = createGate()
    const extension: Extension = {
      id: 'com.example/a',
      webSocket: () => (socket) => ({
        receiveBinary: () => {
          socket.send('{"a":1}', () => {
            sent.open()
            boom()
          })
          return true
        },
      }),
    }
    const app = await openWith(extension)
    const socket = await openSocket(await listen(app))
    socket.send(Buffer.from('x'))
    expect(await socket.next()).toEqual({ a: 1 })
    await sent.opened
    await isAlive(app)
  })
})

test.each([
  ['throws', boom, 'boom'],
  ['returns no function', () => undefined, 'is undefined. Return a function.'],
])('boot reports an extension whose webSocket %s', async (_what, webSocket, message) => {
  const opening = openApp({ webSocket: true, extensions: [{ id: 'com.example/a', webSocket: webSocket as never }] })
  await expect(opening).rejects.toMatchObject({
    name: 'BootError',
    message: expect.stringMatching(new RegExp(`'com.example/a'[^]*${message}`)),
  })
})

test.each([
  ['throws', boom],
  ['rejects', reject],
])('the server closes its other parts if the close of an extension %s', async (_how, close) => {
  const closed: string[] = []
  const other: Extension = {
    id: 'com.example/b',
    close: async () => {
      await new Promise(setImmediate)
      closed.push('extension')
    },
  }
  const server = await createServer({
    name: 'x',
    version: '1',
    controllers: [],
    logger,
    extensions: [{ id: 'com.example/a', close }, other],
    onClose: () => void closed.push('onClose'),
  })
  await expect(server.close()).rejects.toThrow('boom')
  expect(closed).toEqual(['extension', 'onClose'])
})
