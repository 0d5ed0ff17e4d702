import { PassThrough, Writable } from 'node:stream'
import { result, ToolError } from '@toolwright/core'
import { serveStdio } from '@toolwright/server/stdio'
import type { FastifyInstance } from 'fastify'
import {
  closeApps,
  connectTo,
  legacyMessage,
  messagesOf,
  openApp,
  openSession,
  type TestClient,
  type TestTool,
  toolCall,
} from '../../../../test/support/client/index.js'
import { delay } from '../../../../test/support/delay.js'
import { createGate } from '../../../../test/support/gate.js'
import { until } from '../../../../test/support/until.js'

/** Text that clients must not see of a failing tool. */
const secret = 'sesame at /srv/app/secret.ts:10'

/** The behaviour of the tool, and its outcome: the text that is sent, or `failed` for a generic error. */
type Case = readonly [name: string, handler: TestTool['handler'], outcome: string]

const failed = 'failed'

function fails(): never {
  throw new Error(secret)
}

function circle(): object {
  const value: Record<string, unknown> = { secret }
  value['self'] = value
  return value
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({ secret }, {})
  revoke()
  return proxy
}

function deep(levels: number): unknown[] {
  const root: unknown[] = []
  let inner = root
  for (let level = 0; level < levels; level++) {
    const next: unknown[] = []
    inner.push(next)
    inner = next
  }
  return root
}

/** A thenable. */
function thenable(then: (resolve: (value: unknown) => void, reject: (error: unknown) => void) => void): object {
  // oxlint-disable-next-line unicorn/no-thenable
  return { then }
}

class Account {
  readonly name = 'Ada'
  readonly #pin = secret
  get pin(): string {
    return this.#pin
  }
}

const returned: readonly Case[] = [
  ['a circle', circle, failed],
  ['a circle in a list', () => [circle()], failed],
  ['a big integer', () => 1n, failed],
  ['a big integer inside', () => ({ secret, n: 1n }), failed],
  ['a function', () => fails, failed],
  ['a symbol', () => Symbol(secret), failed],
  [
    'a getter that throws',
    () => ({
      get secret() {
        return fails()
      },
    }),
    failed,
  ],
  ['a toJSON that throws', () => ({ toJSON: fails }), failed],
  ['a toJSON that gives nothing', () => ({ toJSON: () => undefined }), failed],
  ['a toJSON that gives a big integer', () => ({ toJSON: () => 1n }), failed],
  [
    'a toJSON that throws nothing',
    () => ({
      toJSON: () => {
        throw undefined
      },
    }),
    failed,
  ],
  [
    'a proxy that throws on everything',
    () => new Proxy({}, { get: fails, ownKeys: fails, has: fails, getPrototypeOf: fails }),
    failed,
  ],
  ['a proxy without a target', revoked, failed],
  ['a proxy without a target inside', () => ({ secret, inner: revoked() }), failed],
  [
    'a list that is a proxy without a target',
    () => {
      const { proxy, revoke } = Proxy.revocable([], {})
      revoke()
      return proxy
    },
    failed,
  ],
  ['nesting that exceeds the stack', () => deep(50_000), failed],
  [
    'a getter of "then" that throws',
    () => ({
      // oxlint-disable-next-line unicorn/no-thenable
      get then() {
        return fails()
      },
    }),
    failed,
  ],
  ['content that is no list', () => result({ content: secret as never }), failed],
  ['content without its text', () => result({ content: [{ type: 'text' } as never] }), failed],
  ['content of an unknown kind', () => result({ content: [{ type: 'video', data: secret } as never] }), failed],
  ['content that is null', () => result({ content: [null as never] }), failed],
  ['a text that is a number', () => result({ content: [{ type: 'text', text: 5 as never }] }), failed],
  ['an image without data', () => result({ content: [{ type: 'image', mimeType: 'image/png' } as never] }), failed],
  [
    'a resource without contents',
    () => result({ content: [{ type: 'resource', resource: { uri: 'a:b' } } as never] }),
    failed,
  ],
  [
    'a priority out of range',
    () => result({ content: [{ type: 'text', text: 'x', annotations: { priority: 2 } }] }),
    failed,
  ],
  ['a _meta that is a list', () => result({ content: [], _meta: [] as never }), failed],
  ['a result of nothing', () => result(null as never), failed],
  ['structured content with a cycle', () => result({ structuredContent: circle() }), failed],
  ['an error with a cycle', () => result({ isError: true, structuredContent: circle() }), failed],
  ['more than may be sent', () => 'x'.repeat(100_000), "Tool 'tool' returned more than 100000 bytes. Ask for less."],
  [
    'more than may be sent once it is escaped',
    () => '"'.repeat(60_000),
    "Tool 'tool' returned more than 100000 bytes. Ask for less.",
  ],
  [
    'more data than may be sent',
    () => ({ list: Array.from({ length: 30_000 }, () => 100) }),
    "Tool 'tool' returned more than 100000 bytes. Ask for less.",
  ],
  ['an instance of a class', () => new Account(), '{"name":"Ada"}'],
  ['a date', () => new Date(0), '"1970-01-01T00:00:00.000Z"'],
  ['an invalid date', () => new Date(Number.NaN), 'null'],
  ['not a number', () => Number.NaN, 'null'],
  ['an infinite number and minus zero', () => [Number.POSITIVE_INFINITY, -0], '[null,0]'],
  ['a map', () => new Map([['a', 1]]), '{}'],
  ['a list with holes', () => Object.assign([], { 2: 1 }), '[null,null,1]'],
  ['an object without a prototype', () => Object.assign(Object.create(null), { a: 1 }), '{"a":1}'],
  ['a key that is a prototype', () => JSON.parse('{"__proto__":{"polluted":1}}'), '{"__proto__":{"polluted":1}}'],
  ['a boxed text', () => Object('boxed'), '"boxed"'],
  ['a typed list', () => new Uint16Array([1, 2]), '{"0":1,"1":2}'],
  ['undefined members', () => ({ a: undefined, b: fails }), '{}'],
  ['half a character', () => ['\ud800'], '["\ufffd"]'],
  ['control characters', () => '\0\u0001\u2028</script>', '\u2028</script>'],
  ['an object that resembles a content block', () => ({ type: 'text' }), '{"type":"text"}'],
  ['an object that resembles a result', () => ({ content: 'x', isError: true }), '{"content":"x","isError":true}'],
]

const thrown: readonly [name: string, value: () => unknown, outcome: string][] = [
  ['null', () => null, failed],
  ['undefined', () => undefined, failed],
  ['text', () => secret, failed],
  ['a number', () => 5, failed],
  ['a big integer', () => 5n, failed],
  ['a symbol', () => Symbol(secret), failed],
  ['a function', () => fails, failed],
  ['an error', () => new Error(secret), failed],
  ['an error with a long message', () => new Error(secret.repeat(100_000)), failed],
  [
    'an error with a cause that is a circle',
    () => {
      const error = new Error(secret)
      error.cause = error
      return error
    },
    failed,
  ],
  ['an error that is a list of errors', () => new AggregateError([new Error(secret), null], secret), failed],
  ['an error whose message throws', () => Object.defineProperty(new Error(), 'message', { get: fails }), failed],
  ['an error whose stack throws', () => Object.defineProperty(new Error(secret), 'stack', { get: fails }), failed],
  [
    'an error with a member that throws',
    () => Object.defineProperty(new Error(secret), 'detail', { get: fails, enumerable: true }),
    failed,
  ],
  ['an error with a big integer', () => Object.assign(new Error(secret), { n: 1n }), failed],
  ['an error with a circle', () => Object.assign(new Error(secret), { circle: circle() }), failed],
  [
    'an error that looks like one of the protocol',
    () => Object.assign(new Error(secret), { code: -32602, data: secret, status: 400 }),
    failed,
  ],
  ['an object', () => ({ message: secret }), failed],
  ['an object whose toString throws', () => ({ toString: fails }), failed],
  ['an object without a prototype', () => Object.create(null), failed],
  ['a proxy that throws on everything', () => new Proxy({}, { get: fails, getPrototypeOf: fails, has: fails }), failed],
  ['a proxy without a target', revoked, failed],
  ['a promise', () => Promise.resolve(secret), failed],
  ['an error of the tool', () => new ToolError('Try 1 instead.'), 'Try 1 instead.'],
  ['an error of the tool, frozen', () => Object.freeze(new ToolError('Try 2 instead.')), 'Try 2 instead.'],
  ['an error of the tool without a message', () => new ToolError(), ''],
]

const settled: readonly Case[] = [
  [
    'twice',
    () =>
      thenable((resolve) => {
        resolve('first')
        resolve('second')
      }),
    'first',
  ],
  [
    'with a value and then an error',
    () =>
      thenable((resolve, reject) => {
        resolve('first')
        reject(new Error(secret))
      }),
    'first',
  ],
  [
    'with an error and then a value',
    () =>
      thenable((resolve, reject) => {
        reject(new Error(secret))
        resolve('second')
      }),
    failed,
  ],
  ['by an exception', () => thenable(fails), failed],
  [
    'with a value and then an exception',
    () =>
      thenable((resolve) => {
        resolve('first')
        fails()
      }),
    'first',
  ],
  [
    'later, and then again',
    () =>
      thenable((resolve, reject) => {
        setTimeout(() => {
          resolve('later')
          reject(new Error(secret))
        }, 1)
      }),
    'later',
  ],
  ['with another one', () => thenable((resolve) => resolve(thenable((inner) => inner('inner')))), 'inner'],
  ['with a rejected one', () => thenable((resolve) => resolve(Promise.reject(new Error(secret)))), failed],
  ['never', () => new Promise(() => undefined), "Tool 'tool' did not finish within 0.1 seconds and was stopped."],
  [
    'never, as no promise of ours',
    () => thenable(() => undefined),
    "Tool 'tool' did not finish within 0.1 seconds and was stopped.",
  ],
  ['too late', () => delay(150).then(fails), "Tool 'tool' did not finish within 0.1 seconds and was stopped."],
  ['with a value that JSON cannot express', async () => circle(), failed],
  [
    'after 50 ms of work that nothing interrupts',
    () => {
      const end = performance.now() + 50
      while (performance.now() < end);
      return 'worked'
    },
    'worked',
  ],
]

const generated: readonly Case[] = [
  [
    'what it returns',
    async function* () {
      yield { progress: 1 }
      return 'returned'
    },
    'returned',
  ],
  [
    'nothing',
    async function* () {
      yield { progress: 1 }
    },
    '',
  ],
  [
    'an error',
    async function* () {
      yield { progress: 1 }
      fails()
    },
    failed,
  ],
  [
    'progress that is null',
    async function* () {
      yield null
      return 'returned'
    },
    'returned',
  ],
  [
    'progress that is a big integer',
    async function* () {
      yield { progress: 1n }
      return 'returned'
    },
    'returned',
  ],
  [
    'progress that is text',
    async function* () {
      yield { progress: secret, total: {}, message: 5 }
      return 'returned'
    },
    'returned',
  ],
  [
    'a total that is a big integer',
    async function* () {
      yield { progress: 1, total: 1n }
      return 'returned'
    },
    'returned',
  ],
  [
    'a message that is a big integer',
    async function* () {
      yield { progress: 1, message: 1n }
      return 'returned'
    },
    'returned',
  ],
  [
    'nothing at all, ever',
    async function* () {
      yield { progress: 1 }
      await new Promise(() => undefined)
    },
    "Tool 'tool' did not finish within 0.1 seconds and was stopped.",
  ],
]

const all: readonly Case[] = [
  ...returned.map(([name, handler, outcome]): Case => [`returns ${name}`, handler, outcome]),
  ...returned
    .filter(([name]) => !name.includes('then'))
    .map(
      ([name, handler, outcome]): Case => [
        `resolves with ${name}`,
        async (args, context) => handler(args, context),
        outcome,
      ],
    ),
  ...thrown.map(
    ([name, value, outcome]): Case => [
      `throws ${name}`,
      () => {
        throw value()
      },
      outcome,
    ],
  ),
  ...thrown.map(
    ([name, value, outcome]): Case => [
      `rejects with ${name}`,
      async () => {
        await Promise.resolve()
        throw value()
      },
      outcome,
    ],
  ),
  ...settled.map(([name, handler, outcome]): Case => [`settles ${name}`, handler, outcome]),
  ...generated.map(([name, handler, outcome]): Case => [`generates ${name}`, handler, outcome]),
]

interface LogLine {
  readonly msg: string
  readonly errorId?: string
}

const log: LogLine[] = []

const logStream = new Writable({
  write: (line: Buffer, _encoding, done) => {
    log.push(JSON.parse(String(line)) as LogLine)
    done()
  },
})

interface Lane {
  readonly name: string
  /** Calls the tool named `tool`, with progress requested, and resolves with the last message. */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly call: () => Promise<any>
}

let app: FastifyInstance
let modern: TestClient
let legacy: TestClient
let closeStdio: () => Promise<void>
const lanes: Lane[] = []

function addTool(tool: TestTool): void {
  app.mcp.catalog.addTool(tool)
}

beforeAll(async () => {
  app = await openApp({
    limits: { maxResultBytes: 100_000 },
    fastify: { logger: { level: 'warn', stream: logStream } },
  })
  modern = connectTo(app)
  legacy = connectTo(app, { era: 'legacy' })
  const params = { ...toolCall('tool'), _meta: { progressToken: 1 } }
  const [input, output] = [new PassThrough(), new PassThrough()]
  const served = serveStdio(app.mcp, { input, output })
  let received = ''
  output.setEncoding('utf8').on('data', (text: string) => {
    received += text
  })
  lanes.push(
    { name: 'HTTP, modern', call: async () => lastOf(await modern.request('tools/call', params)) },
    {
      name: 'HTTP, legacy',
      call: async () =>
        lastOf(await legacy.request('tools/call', params, { headers: { 'mcp-protocol-version': '2025-11-25' } })),
    },
    {
      name: 'stdio',
      call: async () => {
        received = ''
        input.write(`${JSON.stringify(legacyMessage('tools/call', params))}\n`)
        await until(() => received.endsWith('\n') && received.includes('"id":1'))
        return JSON.parse(received.trimEnd().split('\n').at(-1) as string) as unknown
      },
    },
  )
  closeStdio = async () => {
    input.end()
    await served
  }
})

afterEach(() => {
  app.mcp.catalog.removeTool('tool')
})

afterAll(async () => {
  await closeStdio()
  await closeApps()
})

/** A failure only names the error id: the log has the cause under the same id. */
function outcomeOf({ content, isError }: { content: { text: string }[]; isError?: boolean }): string {
  const text = content[0]?.text ?? ''
  const failure = /^Tool 'tool' failed\. The cause is in the server's log \(request 1, error ([0-9a-f-]{36})\)\.$/.exec(
    text,
  )
  const isLogged = failure !== null && log.some(({ errorId }) => errorId === failure[1])
  return isLogged && isError === true ? failed : text
}

// oxlint-disable-next-line typescript/no-explicit-any
function lastOf({ text, json }: { text: string; json: unknown }): any {
  return json ?? messagesOf(text).at(-1)
}

describe('a tool that', () => {
  it.each(all)('%s', async (_name, handler, outcome) => {
    const globals = JSON.stringify(Reflect.ownKeys(Object.prototype).map(String))
    addTool({ name: 'tool', timeoutMs: 100, handler })
    log.length = 0

    for (const lane of lanes) {
      // One after the other: stdio and HTTP share the tool.
      // oxlint-disable-next-line no-await-in-loop
      const response = await lane.call()
      expect({ lane: lane.name, id: response.id, error: response.error }).toStrictEqual({
        lane: lane.name,
        id: 1,
        error: undefined,
      })
      expect({ lane: lane.name, outcome: outcomeOf(response.result) }).toStrictEqual({ lane: lane.name, outcome })
      expect(JSON.stringify(response)).not.toContain('sesame')
    }

    expect(JSON.stringify(Reflect.ownKeys(Object.prototype).map(String))).toBe(globals)
    expect((await legacy.request('ping')).status).toBe(200)
  })
})

it('a tool cannot return 20 MiB unless maxResultBytes allows it', async () => {
  const tool: TestTool = { name: 'tool', handler: () => 'x'.repeat(20 * 1024 * 1024) }
  const [bounded, generous] = [
    await openApp({ tools: [tool] }),
    await openApp({ tools: [tool], limits: { maxResultBytes: 32 * 1024 * 1024 } }),
  ]

  const [rejected, sent] = [
    await connectTo(bounded, { era: 'legacy' }).call('tool'),
    await connectTo(generous, { era: 'legacy' }).call('tool'),
  ]

  expect(rejected.json.result).toStrictEqual({
    content: [{ type: 'text', text: "Tool 'tool' returned more than 10485760 bytes. Ask for less." }],
    isError: true,
  })
  expect(sent.json.result.content[0].text).toHaveLength(20 * 1024 * 1024)
})

// Jest fails a test if a rejection is not handled meanwhile.
describe('an abandoned call', () => {
  it('sends no further messages', async () => {
    const gate = createGate()
    let ended = 0
    addTool({
      name: 'tool',
      timeoutMs: 5,
      handler: async (_args, context) => {
        await gate.opened
        context.progress(7)
        ended++
        throw new Error(secret)
      },
    })
    const responses = await Promise.all(lanes.slice(0, 2).map((lane) => lane.call()))
    gate.open()
    await until(() => ended === 2)
    await delay(5)

    for (const { result: given } of responses) {
      expect(given.content[0].text).toBe("Tool 'tool' did not finish within 0.005 seconds and was stopped.")
    }
  })

  it('does not cause an unhandled rejection when it fails after the client has disconnected', async () => {
    const rejected = createGate()
    addTool({
      name: 'tool',
      handler: (_args, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            setTimeout(() => {
              reject(new Error(secret))
              rejected.open()
            }, 1)
          })
        }),
    })

    const session = await openSession(app)
    const waiting = session.call('tool', {}, { id: 'w' })
    await delay(10)
    await session.notify('notifications/cancelled', { requestId: 'w' })
    await rejected.opened
    await delay(5)

    expect([(await waiting).status, (await waiting).text]).toStrictEqual([200, ''])
  })
})
