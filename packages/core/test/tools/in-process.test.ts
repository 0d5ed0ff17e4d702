import { getEventListeners } from 'node:events'
import {
  InvalidParamsError,
  inputRequired,
  McpCompletion,
  McpContext,
  McpPrompt,
  McpResource,
  McpTool,
  type Principal,
  ProtocolError,
  result,
  ToolError,
  Type,
  text,
} from '@toolwright/core'
import { createServer, type ServerOptions } from '@toolwright/server'
import { pino } from 'pino'
import { openRawClient } from '../support/raw-client.js'

const AddInput = Type.Object({ a: Type.Number(), b: Type.Number({ default: 1 }) })
const AddOutput = Type.Object({ sum: Type.Number() })
const NestedInput = Type.Object({ items: Type.Array(Type.Any()) })

class Features {
  static readonly seen: unknown[] = []

  @McpTool({ input: AddInput, output: AddOutput })
  add({ a, b }: { a: number; b: number }): { sum: number } {
    return { sum: a + b }
  }

  @McpTool({ output: AddOutput })
  async unfit(): Promise<{ sum: number }> {
    return Promise.resolve({ sum: 'three' } as never)
  }

  @McpTool({ input: NestedInput })
  keep(args: { items: unknown[] }): string {
    Features.seen.push(args)
    args.items.push('changed')
    return 'kept'
  }

  @McpTool()
  async whoCalls(context: McpContext): Promise<unknown> {
    const { principal, protocolVersion, method, headers, clientInfo } = context
    context.progress(1)
    context.sendLogMessage('error', 'nobody hears')
    return Promise.resolve(
      result({
        content: [text('me')],
        structuredContent: { principal, protocolVersion, method, headers, clientInfo },
        _meta: { n: 1 },
      }),
    )
  }

  @McpTool()
  fail(): never {
    throw new ToolError('The shop is closed')
  }

  @McpTool()
  reject(): never {
    throw new InvalidParamsError('not today')
  }

  @McpTool()
  crash(): never {
    throw new Error('the password is hunter2')
  }

  @McpTool({ timeoutMs: 20 })
  never(): Promise<void> {
    return new Promise(() => undefined)
  }

  @McpTool()
  wait(context: McpContext): Promise<void> {
    return new Promise((_resolve, reject) => {
      context.signal.addEventListener('abort', () => {
        Features.seen.push('aborted')
        reject(new Error('stopped'))
      })
    })
  }

  @McpTool({ task: 'required' })
  async long(context: McpContext): Promise<string> {
    await context.startTask()
    return context.step('once', () => 'done')
  }

  @McpTool()
  async ask(context: McpContext): Promise<string> {
    const { action } = await context.elicit({ message: 'Sure?', schema: Type.Object({}) })
    return action
  }

  @McpTool()
  again(): never {
    throw inputRequired({ requestState: 'come back' })
  }

  @McpTool()
  big(): string {
    return 'x'.repeat(5000)
  }

  @McpPrompt({ input: Type.Object({ count: Type.Integer() }) })
  repeat({ count }: { count: number }): string {
    return 'ha'.repeat(count)
  }

  @McpResource('memo:///{name}', { name: 'memo' })
  memo({ name }: Readonly<Record<string, string>>): string | undefined {
    return name === 'none' ? undefined : `about ${name}`
  }

  @McpResource('memo:///fixed')
  fixed(): string {
    return 'fixed'
  }

  @McpCompletion({ prompt: 'repeat', argument: 'count' })
  complete(): string[] {
    return ['1', '2']
  }
}

const options: ServerOptions = {
  name: 'in-process',
  version: '1.0.0',
  controllers: [Features],
  logger: pino({ level: 'silent' }),
  limits: { maxResultBytes: 1000, maxDepth: 8, maxKeys: 20, maxItems: 30 },
}

const open = () => createServer(options)

beforeEach(() => Features.seen.splice(0))

test('an in-process call is validated in both directions, with defaults, and returns plain data', async () => {
  const server = await open()

  expect(await server.callTool('add', { a: 2, b: 3 })).toStrictEqual({
    content: [{ type: 'text', text: '{"sum":5}' }],
    structuredContent: { sum: 5 },
  })
  expect((await server.callTool('add', { a: 2 })).structuredContent).toStrictEqual({ sum: 3 })
  expect(await server.callTool('add', { a: 'two' })).toStrictEqual({
    content: [{ type: 'text', text: "Invalid arguments for tool 'add': 'a' must be a number, got a string." }],
    isError: true,
  })
  expect(await server.callTool('unfit')).toMatchObject({
    content: [{ text: expect.stringContaining("Tool 'unfit' failed. The cause is in the server's log") as string }],
    isError: true,
  })
})

test('arguments and results are copied between caller and handler', async () => {
  const server = await open()
  const given = { items: [new Date(0), { deep: undefined }] }

  await server.callTool('keep', given)
  const flat = { a: 1 }
  await server.callTool('add', flat)

  expect(given.items).toHaveLength(2)
  expect(Features.seen).toStrictEqual([{ items: ['1970-01-01T00:00:00.000Z', {}, 'changed'] }])
  expect(flat).toStrictEqual({ a: 1 })
})

test('arguments that are not JSON are rejected', async () => {
  const server = await open()
  const circle: unknown[] = []
  circle.push(circle)
  const deep = JSON.parse(`{"items":${'['.repeat(20)}${']'.repeat(20)}}`) as object
  const flat = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`k${index}`, index]))
  const poisoned = JSON.parse('{"items":[{"__proto__":{}}]}') as object
  const rejections = await Promise.all(
    [
      { items: circle },
      { items: [1n] },
      deep,
      flat,
      { items: Array(31).fill(0) },
      poisoned,
      [],
      Object.assign(() => 1, {}),
    ].map(async (args) => server.callTool('keep', args).catch((error: ProtocolError) => [error.name, error.code])),
  )

  expect(rejections).toStrictEqual([
    ['ProtocolError', -32602],
    ['ProtocolError', -32602],
    ['ProtocolError', -32600],
    ['ProtocolError', -32600],
    ['ProtocolError', -32600],
    ['ProtocolError', -32600],
    ['ProtocolError', -32602],
    ['ProtocolError', -32602],
  ])
  expect(Features.seen).toStrictEqual([])
})

test('the handler gets a request of the newest revision, with its caller', async () => {
  const server = await open()
  const principal: Principal = { subject: 'ann', roles: ['admin'], scopes: [], claims: {} }
  const context = { protocolVersion: '2026-07-28', method: 'tools/call', headers: null, clientInfo: null }

  expect(await server.callTool('who_calls', {}, { principal })).toStrictEqual({
    content: [{ type: 'text', text: 'me' }],
    structuredContent: { principal, ...context },
    _meta: { n: 1 },
  })
  expect((await server.callTool('who_calls')).structuredContent).toStrictEqual({ principal: null, ...context })
  const bob = { subject: 'bob', roles: [], scopes: [], claims: {} }
  const asBob = await server.callTool('who_calls', {}, { principal: { subject: 'bob' } })
  expect(asBob.structuredContent).toStrictEqual({ principal: bob, ...context })
  for (const [none, message] of [
    [{}, 'the subject of the caller is undefined. Give a string that identifies the caller'],
    [{ subject: 42 }, 'the subject of the caller is 42. Give a string that identifies the caller'],
    [{ subject: 'bob', roles: 'admin' }, "the roles of the caller are the string 'admin'. Give an array"],
    [
      { subject: 'bob', scopes: 'files:read-own' },
      "the scopes of the caller are the string 'files:read-own'. Give an array",
    ],
  ] as const) {
    // oxlint-disable-next-line no-await-in-loop
    await expect(server.callTool('who_calls', {}, { principal: none as never })).rejects.toThrow(message)
  }
})

test('errors of a tool are results, and errors of the caller are thrown', async () => {
  const server = await open()
  const outcome = (name: string): Promise<unknown> =>
    server.callTool(name).catch((error: ProtocolError) => [error.name, error.code, error.message, error.data])

  expect(await outcome('fail')).toStrictEqual({
    content: [{ type: 'text', text: 'The shop is closed' }],
    isError: true,
  })
  expect(await outcome('reject')).toStrictEqual([
    'InvalidParamsError',
    -32602,
    'Invalid params',
    { detail: 'not today' },
  ])
  expect(await outcome('ad')).toStrictEqual([
    'ProtocolError',
    -32602,
    'Unknown tool: ad',
    { suggestions: ['add', 'ask', 'big'] },
  ])
  expect(JSON.stringify(await outcome('crash'))).not.toContain('hunter2')
  expect(await outcome('never')).toStrictEqual({
    content: [{ type: 'text', text: "Tool 'never' did not finish within 0.02 seconds and was stopped." }],
    isError: true,
  })
  expect(await outcome('big')).toStrictEqual({
    content: [{ type: 'text', text: "Tool 'big' returned more than 1000 bytes. Ask for less." }],
    isError: true,
  })
})

test('a signal ends a call with its own reason, also before the call has begun', async () => {
  const server = await open()
  const reason = new Error('enough')
  const controller = new AbortController()
  const waiting = server.callTool('wait', {}, { signal: controller.signal })

  controller.abort(reason)

  await expect(waiting).rejects.toBe(reason)
  await expect(server.callTool('keep', { items: [] }, { signal: controller.signal })).rejects.toBe(reason)
  expect(Features.seen).toStrictEqual(['aborted'])
})

test('a long-lived signal keeps no reference to calls that have ended', async () => {
  const server = await open()
  const { signal } = new AbortController()

  await server.callTool('add', { a: 1 }, { signal })
  await server.callTool('fail', {}, { signal })
  await expect(server.callTool('reject', {}, { signal })).rejects.toThrow('Invalid params')

  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
})

test('an unexpected failure is thrown with the id of its log entry', async () => {
  const lines: string[] = []
  const server = await createServer({ ...options, logger: pino({}, { write: (line) => void lines.push(line) }) })
  const args = {
    get city(): string {
      throw new Error('the password is hunter2')
    },
  }

  const error = (await server.callTool('keep', args).catch((thrown: unknown) => thrown)) as ProtocolError

  const { errorId, err } = JSON.parse(lines.at(-1) as string) as { readonly errorId: string; readonly err: Error }
  expect(err.message).toBe('the password is hunter2')
  expect(error.code).toBe(-32603)
  expect(error.message).toBe(`Internal error. The cause is in the server's log (error ${errorId}).`)
})

test('a task tool runs as a plain call, and cannot ask the user', async () => {
  const server = await open()

  expect(await server.callTool('long')).toStrictEqual({ content: [{ type: 'text', text: 'done' }] })
  await expect(server.callTool('ask')).rejects.toMatchObject({
    code: -32021,
    data: { requiredCapabilities: { elicitation: { form: {} } } },
  })
  await expect(server.callTool('again')).rejects.toMatchObject({ name: 'ProtocolError', code: -32603 })
})

test('resources are read, prompts are fetched and values completed', async () => {
  const server = await open()

  expect(await server.readResource('memo:///ann')).toStrictEqual({
    contents: [{ uri: 'memo:///ann', mimeType: 'text/plain', text: 'about ann' }],
  })
  await expect(server.readResource('memo:///none')).rejects.toMatchObject({
    name: 'ResourceNotFoundError',
    code: -32602,
  })
  expect(await server.getPrompt('repeat', { count: '2' })).toStrictEqual({
    messages: [{ role: 'user', content: { type: 'text', text: 'haha' } }],
  })
  await expect(server.getPrompt('repeat', { count: 'many' })).rejects.toMatchObject({ code: -32602 })
  const ref = { type: 'ref/prompt', name: 'repeat' } as const
  expect(await server.complete({ ref, argument: { name: 'count', value: '' } })).toStrictEqual({
    values: ['1', '2'],
    total: 2,
    hasMore: false,
  })
})

test('lists are complete, regardless of the page size', async () => {
  const server = await createServer({ ...options, pageSize: 2, compat: { alwaysNextCursor: true } })

  expect((await server.listTools()).map(({ name }) => name)).toStrictEqual([
    'add',
    'again',
    'ask',
    'big',
    'crash',
    'fail',
    'keep',
    'long',
    'never',
    'reject',
    'unfit',
    'wait',
    'who_calls',
  ])
  expect(await server.listPrompts()).toStrictEqual([{ name: 'repeat', arguments: [{ name: 'count', required: true }] }])
  expect(await server.listResources()).toStrictEqual([{ uri: 'memo:///fixed', name: 'fixed' }])
  expect(await server.listResourceTemplates()).toStrictEqual([{ uriTemplate: 'memo:///{name}', name: 'memo' }])
})

test('a list has the format of the newest revision, and is a copy for the caller', async () => {
  const server = await open()
  const [add] = await server.listTools()
  const expected = {
    name: 'add',
    // `b` has a default.
    inputSchema: { ...AddInput, required: ['a'] },
    outputSchema: AddOutput,
  }

  expect(add).toStrictEqual(JSON.parse(JSON.stringify(expected)))
  Object.assign(add?.inputSchema as object, { type: 'broken' })
  expect((await server.listTools())[0]?.inputSchema['type']).toBe('object')
})

test('kinds of features that are not served have empty lists', async () => {
  const server = await createServer({ name: 'empty', version: '1.0.0', controllers: [] })

  expect(await Promise.all([server.listTools(), server.listPrompts(), server.listResources()])).toStrictEqual([
    [],
    [],
    [],
  ])
  await expect(server.getPrompt('any')).rejects.toMatchObject({ code: -32601 })
})

describe('a handler that calls a tool itself', () => {
  /** A server with a limit of one request at a time. */
  async function openFull() {
    const server = await createServer({
      name: 'full',
      version: '1.0.0',
      logger: pino({ level: 'silent' }),
      controllers: [],
      limits: { maxInFlight: 1, maxInFlightPerCaller: 1 },
      rateLimit: { calls: 1, windowMs: 60_000 },
    })
    const inFlight: number[] = []
    server.catalog.addTool({
      name: 'inner',
      handler: () => {
        inFlight.push(server.metrics().inFlight.value)
        return 'inner'
      },
    })
    const asAda = { principal: { subject: 'ada', roles: [], scopes: [], claims: {} } }
    return { server, inFlight, asAda, client: openRawClient(server, asAda.principal) }
  }

  const called = (name: string) => ({ jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: name }] } })

  test('is not rejected by the limits of the server and of its caller', async () => {
    const { server, inFlight, asAda, client } = await openFull()
    const handler = async (): Promise<string> => {
      const answers = await Promise.all([1, 2, 3].map(async () => server.callTool('inner', {}, asAda)))
      return answers.map(({ content }) => (content[0] as { text: string }).text).join()
    }
    server.catalog.addTool({ name: 'outer', handler })
    expect(await client.request('tools/call', { name: 'outer' })).toEqual(called('inner,inner,inner'))
    expect(inFlight).toEqual([1, 1, 1])
    expect(server.metrics().rejectedRequests).toBe(0)
    await client[Symbol.asyncDispose]()
    await server.close()
  })

  test('is rejected at once by its own maxConcurrent, without a deadlock', async () => {
    const { server, asAda, client } = await openFull()
    const handler = async (): Promise<string> => {
      const rejected = await server.callTool('again', {}, asAda).catch((error: ProtocolError) => error)
      return rejected instanceof ProtocolError ? rejected.kind : 'served'
    }
    server.catalog.addTool({ name: 'again', handler, maxConcurrent: 1 })
    expect(await client.request('tools/call', { name: 'again' })).toEqual(called('unavailable'))
    await client[Symbol.asyncDispose]()
    await server.close()
  })
})
