// Tasks on the wire: the official client has no methods for them.

import { EventEmitter, once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  connectInMemory,
  type FeatureCall,
  inputRequired,
  LimitError,
  type Limits,
  McpContext,
  type McpServer,
  McpTool,
  type Principal,
  ProtocolError,
  type Static,
  ToolError,
  Type,
} from '@toolwright/core'
import { createServer, type ServerOptions } from '@toolwright/server'
import { InMemoryTaskStore, InProcessTaskBus, type Task } from '@toolwright/tasks'
import { pino } from 'pino'
import { createGate } from '../../../test/support/gate.js'
import { until } from '../../../test/support/until.js'
import { modernMeta, openRawClient, type RawClient, type RawMessage } from '../../core/test/support/raw-client.js'

const tasks = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
const askable = { ...tasks, elicitation: {} }

const Confirmation = Type.Object({ ok: Type.Boolean() })
const Key = Type.Object({ key: Type.String() })

/** Actions of handlers, by the key of their call. */
const seen = new Map<string, string[]>()

function note(key: string, what: string): void {
  seen.set(key, [...(seen.get(key) ?? []), what])
}

function confirm(context: McpContext, key?: string) {
  return context.elicit({ ...(key === undefined ? {} : { key }), message: 'Sure?', schema: Confirmation })
}

class TaskTools {
  @McpTool({ task: 'optional' })
  quick(): string {
    return 'done'
  }

  @McpTool({ task: 'optional', input: Key })
  notes({ key }: Static<typeof Key>): string {
    note(key, 'began')
    return 'done'
  }

  @McpTool({ task: 'optional', input: Key })
  async steps({ key }: Static<typeof Key>, context: McpContext): Promise<string> {
    const order = await context.step('order', () => {
      note(key, 'ordered')
      return 'tea'
    })
    await context.step('order', () => note(key, 'ordered again')).catch((error) => note(key, String(error)))
    return `ordered ${order}`
  }

  @McpTool({ task: 'required' })
  only(): string {
    return 'done'
  }

  @McpTool({ task: 'optional', input: Key })
  async waits({ key }: Static<typeof Key>, context: McpContext): Promise<string> {
    note(key, 'began')
    if (key === 'silent') context.progress(1)
    context.sendLogMessage('error', 'never sent')
    await once(context.signal, 'abort')
    note(key, String(context.signal.reason))
    return 'too late'
  }

  @McpTool({ task: 'optional', timeoutMs: 20 })
  async tooSlow(context: McpContext): Promise<void> {
    await once(context.signal, 'abort')
  }

  @McpTool({ task: 'optional' })
  fails(): never {
    throw new ToolError('It did not work.')
  }

  @McpTool({ task: 'optional' })
  breaks(): never {
    throw new Error('secret')
  }

  @McpTool({ task: 'optional' })
  rejects(): never {
    throw new ProtocolError('internalError', 'No', { why: 'because' })
  }

  @McpTool({ task: 'optional' })
  large(): string {
    return 'x'.repeat(2000)
  }

  @McpTool({ task: 'optional', input: Key })
  async asksAndCleansUp({ key }: Static<typeof Key>, context: McpContext): Promise<string> {
    try {
      return (await confirm(context)).action
    } catch (error) {
      note(key, String(error))
      throw error
    }
  }

  @McpTool({ task: 'optional', timeoutMs: 100 })
  async asks(context: McpContext): Promise<string> {
    const { action, content } = await confirm(context, 'sure')
    return `${action} ${content?.ok}`
  }

  @McpTool({ task: 'optional' })
  async asksTwice(context: McpContext): Promise<string> {
    const [a, b] = await Promise.all([confirm(context, 'a'), confirm(context)])
    const c = await confirm(context)
    return [a, b, c].map(({ content }) => content?.ok).join()
  }

  @McpTool({ task: 'optional' })
  forgets(context: McpContext): string {
    void confirm(context, 'sure')
    return 'did not wait'
  }

  @McpTool({ task: 'optional' })
  byHand(): string {
    return inputRequired({ requestState: 1 })
  }

  @McpTool({ task: 'required', taskStart: 'by-handler', input: Key })
  async asksFirst({ key }: Static<typeof Key>, context: McpContext): Promise<string> {
    await context.step('begin', () => note(key, 'began'))
    const { content } = await confirm(context, 'before')
    if (content?.ok !== true) return 'not wanted'
    await Promise.all([context.startTask(), context.startTask()])
    await context.step('go on', () => note(key, 'went on'))
    const then = await confirm(context, 'after')
    return `then ${then.content?.ok}`
  }

  @McpTool({ task: 'optional', taskStart: 'by-handler', input: Key })
  async startsLate({ key }: Static<typeof Key>, context: McpContext): Promise<string> {
    context.signal.addEventListener('abort', () => note(key, String(context.signal.reason)))
    note(key, 'began')
    await sleep(30)
    await context.startTask()
    note(key, 'started')
    await sleep(30)
    note(key, 'ended')
    return 'done'
  }

  @McpTool()
  async never(context: McpContext): Promise<string> {
    await context.startTask()
    return 'never a task'
  }
}

const open: McpServer[] = []

async function serve(limits: Partial<Limits> = {}, options: Partial<ServerOptions> = {}): Promise<McpServer> {
  const base = { name: 'test', version: '1', controllers: [TaskTools], logger: pino({ level: 'silent' }) }
  const server = await createServer({ ...base, limits, ...options })
  open.push(server)
  return server
}

function collectLog() {
  const all: Record<string, unknown>[] = []
  return { all, logger: pino({}, { write: (line) => void all.push(JSON.parse(line)) }) }
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()))
})

function principal(subject: string, claims: Principal['claims'] = {}): Principal {
  return { subject, roles: [], scopes: [], claims }
}

const serverInfo = { 'io.modelcontextprotocol/serverInfo': { name: 'test', version: '1' } }
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const uuid = expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)

function shownTask(status: string, more: object = {}): object {
  return {
    taskId: uuid,
    status,
    createdAt: time,
    lastUpdatedAt: time,
    ttlMs: 3_600_000,
    pollIntervalMs: 1000,
    ...more,
  }
}

function textResult(text: unknown, more: object = {}): object {
  return { resultType: 'complete', content: [{ type: 'text', text }], ...more, _meta: serverInfo }
}

function call(client: RawClient, name: string, args: object = {}, capabilities: object = askable) {
  return client.modern('tools/call', { name, arguments: args }, capabilities)
}

async function create(client: RawClient, name: string, args: object = {}, capabilities: object = askable) {
  const { result } = await call(client, name, args, capabilities)
  expect(result.resultType).toBe('task')
  return result.taskId as string
}

async function get(client: RawClient, taskId: string): Promise<RawMessage> {
  return (await client.modern('tasks/get', { taskId }, tasks)).result
}

/** Polls until the task has another status than these. */
async function pass(client: RawClient, taskId: string, ...statuses: string[]): Promise<RawMessage> {
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop
    const task = await get(client, taskId)
    if (!statuses.includes(task.status)) return task
    // oxlint-disable-next-line no-await-in-loop
    await sleep(2)
  }
}

const unknownTask = { code: -32602, message: 'Unknown task: it has expired, or never existed' }
const accept = (ok: boolean) => ({ action: 'accept', content: { ok } })
const update = (client: RawClient, taskId: string, inputResponses: unknown) =>
  client.modern('tasks/update', { taskId, inputResponses }, tasks)
const cancel = (client: RawClient, taskId: string) => client.modern('tasks/cancel', { taskId }, tasks)

describe('tasks', () => {
  it('are declared if a tool supports them, otherwise their methods are unknown', async () => {
    const server = await serve({}, { controllers: [] })
    await using client = openRawClient(server)
    const discover = async () => (await client.modern('server/discover', {})).result.capabilities
    expect(await discover()).not.toHaveProperty('extensions')
    const { error } = await client.modern('tasks/get', { taskId: 'a' }, tasks)
    expect(error).toEqual({ code: -32601, message: 'Method not found: tasks/get' })
    server.catalog.addTool({ name: 'late', task: 'optional', handler: () => 'late' })
    server.catalog.removeTool('late')
    expect(await discover()).toMatchObject(tasks)
    expect(await discover()).not.toHaveProperty('tasks')
  })

  it('are returned and found at once, and end with the result of the call', async () => {
    await using client = openRawClient(await serve())
    const { result: created } = await call(client, 'quick')
    expect(created).toEqual({ resultType: 'task', ...shownTask('working'), _meta: serverInfo })
    expect((await get(client, created.taskId)).taskId).toBe(created.taskId)
    const ended = await pass(client, created.taskId, 'working')
    expect(ended).toEqual({
      resultType: 'complete',
      ...shownTask('completed', { result: textResult('done') }),
      _meta: serverInfo,
    })
    expect(Date.parse(ended.lastUpdatedAt)).toBeGreaterThanOrEqual(Date.parse(ended.createdAt))
  })

  it.each([
    ['notes', ['answered', 'began']],
    ['starts_late', ['began', 'answered', 'started', 'ended']],
  ])('are returned before %s continues, even if it keeps the process busy', async (name, order) => {
    const key = `order of ${name}`
    const client = connectInMemory(await serve(), { onMessage: () => note(key, 'answered') })
    const params = { name, arguments: { key }, _meta: modernMeta(tasks) }
    client.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    await until(() => seen.get(key)?.length === order.length)
    expect(seen.get(key)).toEqual(order)
  })

  it('pass their id to the handler, its hooks and the log', async () => {
    const lines = collectLog()
    const told: (string | null)[] = []
    const hook = { onCompleted: ({ context }: FeatureCall) => void told.push(context.taskId) }
    const server = await serve({}, { logger: lines.logger, controllers: [], hooks: [hook] })
    server.catalog.addTool({
      name: 'which',
      task: 'optional',
      handler: (_args, context) => {
        context.log.info('here')
        return String(context.taskId)
      },
    })
    await using client = openRawClient(server)

    const taskId = await create(client, 'which')
    const { result } = await pass(client, taskId, 'working')
    const { result: plain } = await call(client, 'which', {}, {})

    expect([result, plain]).toEqual([textResult(taskId), textResult('null')])
    expect(told).toEqual([taskId, null])
    expect(lines.all.filter(({ msg }) => msg === 'here').map((line) => line.taskId)).toEqual([taskId, undefined])
  })

  it.each(['at-once', 'by-handler'] as const)(
    'show their progress as a message while they work, and start %s',
    async (taskStart) => {
      const [reported, finished] = [createGate(), createGate()]
      const server = await serve({}, { controllers: [] })
      server.catalog.addTool({
        name: 'import',
        task: 'optional',
        taskStart,
        handler: async (_args, context) => {
          await context.startTask()
          context.progress(1, 3, 'reading')
          await reported.opened
          // Of these, the last is shown: one message a second is stored.
          for (const row of [2, 2.5, 3, 1]) context.progress(row, 3)
          await finished.opened
          return 'done'
        },
      })
      await using client = openRawClient(server)
      const taskId = await create(client, 'import')
      const message = async () => (await get(client, taskId)).statusMessage as unknown

      await until(async () => (await message()) === '1 of 3: reading')
      reported.open()
      await until(async () => (await message()) === '3 of 3')
      finished.open()

      expect(await pass(client, taskId, 'working')).toEqual({
        resultType: 'complete',
        ...shownTask('completed', { result: textResult('done') }),
        _meta: serverInfo,
      })
    },
  )

  it('have steps, each with a unique name', async () => {
    await using client = openRawClient(await serve())
    const { result } = await pass(client, await create(client, 'steps', { key: 'steps' }), 'working')
    expect(result).toEqual(textResult('ordered tea'))
    expect(seen.get('steps')).toEqual([
      'ordered',
      expect.stringContaining("The step 'order' is used twice in one call"),
    ])
  })

  it('are never created for a client that does not declare them on the request', async () => {
    await using client = openRawClient(await serve())
    expect((await call(client, 'quick', {}, {})).result).toEqual(textResult('done'))
    expect((await call(client, 'quick', {}, { tasks: {}, extensions: {} })).result).toEqual(textResult('done'))
    expect((await call(client, 'only', {}, { extensions: { 'io.modelcontextprotocol/ui': {} } })).error).toEqual({
      code: -32021,
      message: 'Missing required client capability: extensions.io.modelcontextprotocol/tasks',
      data: { requiredCapabilities: tasks },
    })
  })

  it('are never created for tools without taskSupport', async () => {
    await using client = openRawClient(await serve())
    const params = { name: 'never', task: { ttl: 1000 } }
    expect((await client.modern('tools/call', params, tasks)).result).toEqual(textResult('never a task'))
  })

  it('are unknown to legacy clients', async () => {
    await using client = openRawClient(await serve())
    const { result } = await client.initialize('2025-11-25', askable)
    expect(result.capabilities).not.toHaveProperty('extensions')
    expect((await client.request('tools/call', { name: 'quick', task: {} })).result).toEqual({
      content: [{ type: 'text', text: 'done' }],
    })
    const text = "Tool 'only' only runs as a task, which the client's protocol version does not support."
    expect((await client.request('tools/call', { name: 'only' })).result).toEqual({
      content: [{ type: 'text', text }],
      isError: true,
    })
    expect((await client.request('tasks/get', { taskId: 'a' })).error.code).toBe(-32601)
  })

  it('complete when the tool fails, and fail with protocol errors', async () => {
    await using client = openRawClient(await serve())
    const end = async (name: string, args = {}) => pass(client, await create(client, name, args), 'working')
    expect(await end('fails')).toMatchObject({
      status: 'completed',
      result: textResult('It did not work.', { isError: true }),
    })
    const broken = await end('breaks')
    expect(broken).toMatchObject({ status: 'completed', result: { isError: true } })
    expect(JSON.stringify(broken)).not.toMatch(/secret/)
    expect(await end('waits', { key: 1 })).toMatchObject({ status: 'completed', result: { isError: true } })
    const rejected = await end('rejects')
    expect(rejected).toMatchObject({
      status: 'failed',
      error: { code: -32603, message: 'No', data: { why: 'because' } },
    })
    expect(rejected).not.toHaveProperty('result')
    expect(await end('by_hand')).toMatchObject({ status: 'completed', result: { isError: true } })
  })

  it('have the time limit of their tool', async () => {
    await using client = openRawClient(await serve())
    const text = "Tool 'too_slow' did not finish within 0.02 seconds and was stopped."
    expect(await pass(client, await create(client, 'too_slow'), 'working')).toMatchObject({
      status: 'completed',
      result: textResult(text, { isError: true }),
    })
  })

  it('outlive the connection that created them', async () => {
    const server = await serve()
    const first = openRawClient(server)
    const taskId = await create(first, 'waits', { key: 'outlives' })
    await first[Symbol.asyncDispose]()
    await using second = openRawClient(server)
    await until(() => seen.has('outlives'))
    expect(await get(second, taskId)).toMatchObject({ status: 'working' })
    expect(seen.get('outlives')).toEqual(['began'])
  })

  it("can be cancelled, repeatedly, which aborts the handler's signal", async () => {
    await using client = openRawClient(await serve())
    const taskId = await create(client, 'waits', { key: 'cancelled' })
    await until(() => seen.has('cancelled'))
    const acknowledged = { resultType: 'complete', _meta: serverInfo }
    expect((await cancel(client, taskId)).result).toEqual(acknowledged)
    const cancelled = await get(client, taskId)
    expect(cancelled).toEqual({
      resultType: 'complete',
      ...shownTask('cancelled', { statusMessage: 'Cancelled.' }),
      _meta: serverInfo,
    })
    expect(seen.get('cancelled')).toEqual(['began', 'AbortError: the client cancelled the task'])
    await sleep(5)
    expect((await cancel(client, taskId)).result).toEqual(acknowledged)
    expect(await get(client, taskId)).toEqual(cancelled)
  })

  it('stay completed when they are cancelled or answered too late', async () => {
    await using client = openRawClient(await serve())
    const taskId = await create(client, 'quick')
    const completed = await pass(client, taskId, 'working')
    expect((await cancel(client, taskId)).result).toBeDefined()
    expect((await update(client, taskId, { a: 1 })).result).toBeDefined()
    expect(await get(client, taskId)).toEqual(completed)
  })

  it('are not cancelled by the notification for requests', async () => {
    await using client = openRawClient(await serve())
    const response = await call(client, 'waits', { key: 'notified' })
    client.notify('notifications/cancelled', { requestId: response.id })
    await until(() => seen.has('notified'))
    expect(await get(client, response.result.taskId)).toMatchObject({ status: 'working' })
  })

  it('belong to the principal that created them', async () => {
    const server = await serve()
    await using ada = openRawClient(server, principal('ada'))
    await using bob = openRawClient(server, principal('bob'))
    await using nobody = openRawClient(server)
    await using otherIssuer = openRawClient(server, principal('ada', { iss: 'https://other.example' }))
    await using otherClient = openRawClient(server, principal('ada', { client_id: 'other' }))
    const taskId = await create(ada, 'waits', { key: 'owned' })
    for (const other of [bob, nobody, otherIssuer, otherClient]) {
      for (const id of [taskId, '00000000-0000-4000-8000-000000000000']) {
        // oxlint-disable-next-line no-await-in-loop
        expect((await other.modern('tasks/get', { taskId: id }, tasks)).error).toEqual(unknownTask)
        // oxlint-disable-next-line no-await-in-loop
        expect((await update(other, id, {})).error).toEqual(unknownTask)
        // oxlint-disable-next-line no-await-in-loop
        expect((await cancel(other, id)).error).toEqual(unknownTask)
      }
    }
    expect(await get(ada, taskId)).toMatchObject({ status: 'working' })
  })

  it('reject clients that do not declare them, before any other check', async () => {
    await using client = openRawClient(await serve())
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      // oxlint-disable-next-line no-await-in-loop
      const { error } = await client.modern(method, { taskId: 'unknown' })
      expect(error).toMatchObject({ code: -32021, data: { requiredCapabilities: tasks } })
    }
  })

  it('have no blocking result and no list', async () => {
    await using client = openRawClient(await serve())
    for (const method of ['tasks/result', 'tasks/list']) {
      // oxlint-disable-next-line no-await-in-loop
      expect((await client.modern(method, { taskId: 'a' }, tasks)).error.code).toBe(-32601)
    }
  })

  it('validate their parameters', async () => {
    await using client = openRawClient(await serve())
    const { error } = await client.modern('tasks/get', { taskId: 1 }, tasks)
    expect(error).toEqual({ code: -32602, message: 'Invalid params: "taskId" must be a string' })
    const taskId = await create(client, 'asks')
    await pass(client, taskId, 'working')
    for (const responses of [undefined, null, [], 'a']) {
      // oxlint-disable-next-line no-await-in-loop
      expect((await update(client, taskId, responses)).error).toEqual({
        code: -32602,
        message: 'Invalid params: "inputResponses" must be an object',
      })
    }
  })

  it('send no progress notifications and no log messages', async () => {
    await using client = openRawClient(await serve())
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': tasks,
      'io.modelcontextprotocol/logLevel': 'debug',
      progressToken: 1,
    }
    const params = { name: 'waits', arguments: { key: 'silent' }, _meta }
    await client.request('tools/call', params)
    await until(() => seen.has('silent'))
    const listening = client.next()
    client.send({
      jsonrpc: '2.0',
      id: 'l',
      method: 'subscriptions/listen',
      params: { notifications: { toolsListChanged: true }, _meta },
    })
    expect((await listening).method).toBe('notifications/subscriptions/acknowledged')
  })
})

describe('a task that sends input requests', () => {
  const question = {
    method: 'elicitation/create',
    params: {
      mode: 'form',
      message: 'Sure?',
      requestedSchema: { type: 'object', required: ['ok'], properties: { ok: { type: 'boolean' } } },
    },
  }

  it('shows its requests until they are answered, in any order', async () => {
    await using client = openRawClient(await serve())
    const taskId = await create(client, 'asks_twice')
    const asking = await pass(client, taskId, 'working')
    const shown = { a: question, question_2: question }
    expect(asking).toEqual({
      resultType: 'complete',
      ...shownTask('input_required', { inputRequests: shown }),
      _meta: serverInfo,
    })
    const acknowledged = await update(client, taskId, { question_2: accept(false), other: 1 })
    expect(acknowledged.result).toEqual({ resultType: 'complete', _meta: serverInfo })
    expect(await get(client, taskId)).toMatchObject({ status: 'input_required', inputRequests: { a: question } })
    expect((await get(client, taskId)).inputRequests).toEqual({ a: question })
    await update(client, taskId, { question_2: accept(true), a: accept(true) })
    const again = await pass(client, taskId, 'working')
    expect(again.inputRequests).toEqual({ question_3: question })
    await update(client, taskId, { question_3: { action: 'decline' } })
    expect((await pass(client, taskId, 'working')).result).toEqual(textResult('true,false,'))
  })

  it('does not count the time of the user', async () => {
    await using client = openRawClient(await serve())
    const taskId = await create(client, 'asks')
    await pass(client, taskId, 'working')
    await sleep(150)
    await update(client, taskId, { sure: accept(true) })
    expect((await pass(client, taskId, 'working')).result).toEqual(textResult('accept true'))
  })

  it('repeats a request under another key after an invalid answer, a limited number of times', async () => {
    await using client = openRawClient(await serve())
    const taskId = await create(client, 'asks')
    const keys: string[] = []
    let task = await pass(client, taskId, 'working')
    while (task.status === 'input_required') {
      const [key = ''] = Object.keys(task.inputRequests)
      keys.push(key)
      // oxlint-disable-next-line no-await-in-loop
      await update(client, taskId, { [key]: { action: 'accept', content: { ok: 'maybe' } } })
      // oxlint-disable-next-line no-await-in-loop
      task = await pass(client, taskId, 'working')
    }
    expect(keys).toEqual(['sure', ...Array.from({ length: 9 }, (_, index) => `sure_${index + 2}`)])
    const text = 'The client gave no valid answer to elicitation/create.'
    expect(task).toMatchObject({ status: 'completed', result: textResult(text, { isError: true }) })
  })

  it('fails for a client without the capability', async () => {
    await using client = openRawClient(await serve())
    const taskId = await create(client, 'asks', {}, tasks)
    expect(await pass(client, taskId, 'working')).toMatchObject({
      status: 'failed',
      error: { code: -32021, data: { requiredCapabilities: { elicitation: { form: {} } } } },
    })
  })

  it('ends without the answers that it did not wait for', async () => {
    await using client = openRawClient(await serve())
    const taskId = await create(client, 'forgets')
    expect(await pass(client, taskId, 'working', 'input_required')).toMatchObject({
      status: 'completed',
      result: textResult('did not wait'),
    })
  })

  it('can be cancelled while it waits', async () => {
    await using client = openRawClient(await serve())
    const taskId = await create(client, 'asks_and_cleans_up', { key: 'asking' })
    await pass(client, taskId, 'working')
    await cancel(client, taskId)
    const cancelled = await get(client, taskId)
    expect(cancelled).toMatchObject({ status: 'cancelled' })
    expect(cancelled).not.toHaveProperty('inputRequests')
    await until(() => seen.has('asking'))
    expect(seen.get('asking')).toEqual(['AbortError: the client cancelled the task'])
  })
})

describe('a handler that starts its task', () => {
  it('sends requests in rounds first, then as a task, and runs each step once', async () => {
    await using client = openRawClient(await serve())
    const { result: asking } = await call(client, 'asks_first', { key: 'first' })
    expect(asking).toMatchObject({ resultType: 'input_required', inputRequests: { before: expect.anything() } })
    expect(asking).not.toHaveProperty('taskId')
    const params = { name: 'asks_first', arguments: { key: 'first' }, requestState: asking.requestState }
    const answered = { ...params, inputResponses: { before: accept(true) } }
    const { result: created } = await client.modern('tools/call', answered, askable)
    expect(created).toEqual({ resultType: 'task', ...shownTask('working'), _meta: serverInfo })
    const waiting = await pass(client, created.taskId, 'working')
    expect(waiting.inputRequests).toEqual({ after: expect.anything() })
    await update(client, created.taskId, { after: accept(false) })
    expect((await pass(client, created.taskId, 'working')).result).toEqual(textResult('then false'))
    expect(seen.get('first')).toEqual(['began', 'went on'])
  })

  it('has the task id from then on, also in the log', async () => {
    const lines = collectLog()
    const server = await serve({}, { logger: lines.logger, controllers: [] })
    server.catalog.addTool({
      name: 'late',
      task: 'optional',
      taskStart: 'by-handler',
      handler: async (_args, context) => {
        const before = context.taskId
        context.log.info('here')
        await context.startTask()
        context.log.info('here')
        return `${before} ${context.taskId}`
      },
    })
    await using client = openRawClient(server)

    const taskId = await create(client, 'late')

    expect((await pass(client, taskId, 'working')).result).toEqual(textResult(`null ${taskId}`))
    expect(lines.all.filter(({ msg }) => msg === 'here').map((line) => line.taskId)).toEqual([undefined, taskId])
  })

  it('can end without a task', async () => {
    await using client = openRawClient(await serve())
    const { result: asking } = await call(client, 'asks_first', { key: 'unwanted' })
    const params = { name: 'asks_first', arguments: { key: 'unwanted' }, requestState: asking.requestState }
    const declined = { ...params, inputResponses: { before: accept(false) } }
    expect((await client.modern('tools/call', declined, askable)).result).toEqual(textResult('not wanted'))
    const forged = await client.modern('tools/call', { ...params, requestState: 'forged' }, askable)
    expect(forged.error).toMatchObject({ code: -32602 })
  })

  it('continues as a plain call for a client without tasks', async () => {
    await using client = openRawClient(await serve())
    expect((await call(client, 'starts_late', { key: 'plain' }, {})).result).toEqual(textResult('done'))
  })

  it('is aborted when its client disconnects before the task starts, and not afterwards', async () => {
    const server = await serve()
    const early = openRawClient(server)
    void call(early, 'starts_late', { key: 'early' })
    await until(() => seen.has('early'))
    await early[Symbol.asyncDispose]()
    await until(() => seen.get('early')?.length === 2)
    expect(seen.get('early')).toEqual(['began', 'AbortError: the connection was closed'])
    const late = openRawClient(server)
    const taskId = await create(late, 'starts_late', { key: 'late' })
    await late[Symbol.asyncDispose]()
    await using other = openRawClient(server)
    expect(await pass(other, taskId, 'working')).toMatchObject({ status: 'completed', result: textResult('done') })
    expect(seen.get('late')).toEqual(['began', 'started', 'ended'])
  })

  it('stops if the client disconnected while the task was created', async () => {
    const store = new InMemoryTaskStore({ maxTasks: 10, maxTasksPerPrincipal: 10, maxTaskBytes: 1000 })
    const made: Task[] = []
    const gate = createGate()
    const slow = {
      create: async (task: Task) => {
        made.push(task)
        await gate.opened
        return store.create(task)
      },
      get: (taskId: string) => store.get(taskId),
      update: (taskId: string, change: (task: Task) => Task) => store.update(taskId, change),
    }
    const client = openRawClient(await serve({}, { tasks: { store: slow } }))
    void call(client, 'starts_late', { key: 'unmade' })
    await until(() => made.length === 1)
    await client[Symbol.asyncDispose]()
    gate.open()
    const [task] = made as [Task]
    await until(async () => (await store.get(task.taskId))?.status === 'cancelled')
    // The handler would continue in the next turn.
    await sleep(5)
    expect(seen.get('unmade')).toEqual(['began', 'AbortError: the connection was closed'])
  })
})

describe('limits of tasks', () => {
  it('include the time to live, after which the handler is stopped and the task is unknown', async () => {
    await using client = openRawClient(await serve({ taskTtlMs: 60 }))
    const { result } = await call(client, 'waits', { key: 'expires' })
    expect(result.ttlMs).toBe(60)
    expect(await get(client, result.taskId)).toMatchObject({ status: 'working' })
    await until(() => seen.get('expires')?.length === 2)
    expect(seen.get('expires')?.[1]).toBe('AbortError: the task has expired')
    await sleep(5)
    expect((await cancel(client, result.taskId)).error).toEqual(unknownTask)
  })

  it('allow tasks without a time to live, with ttlMs null', async () => {
    await using client = openRawClient(await serve({ taskTtlMs: Infinity }))
    expect((await call(client, 'quick')).result.ttlMs).toBeNull()
  })

  it('include the number of tasks: beyond it, calls are served at once or rejected', async () => {
    await using client = openRawClient(await serve({ maxTasks: 1 }))
    await create(client, 'waits', { key: 'full' })
    expect((await call(client, 'quick')).result).toEqual(textResult('done'))
    expect((await call(client, 'starts_late', { key: 'full too' })).result).toEqual(textResult('done'))
    const full = { code: -32603, message: 'The server has reached its limit of tasks. Try again later' }
    expect((await call(client, 'only')).error).toEqual(full)
  })

  it('appear in metrics beside the stored tasks, including ended ones', async () => {
    const server = await serve({ maxTasks: 1, maxTaskBytes: 5000 })
    await using client = openRawClient(server)
    await pass(client, await create(client, 'only'), 'working')

    expect((await call(client, 'only')).error).toMatchObject({ code: -32603 })
    const { runningTasks, keptTasks, storedTaskBytes, rejectedTasks } = server.metrics()
    expect(rejectedTasks).toBe(1)
    expect({ runningTasks, keptTasks }).toEqual({ runningTasks: { value: 0, max: 1 }, keptTasks: { value: 1, max: 1 } })
    expect(storedTaskBytes).toEqual({ value: expect.any(Number), max: 5000 })
    expect(storedTaskBytes?.value).toBeGreaterThan(0)
  })

  it('appear in metrics for the in-memory store only', async () => {
    const store = new InMemoryTaskStore({ maxTasks: 7, maxTasksPerPrincipal: 7, maxTaskBytes: 70 })
    const own = { create: store.create.bind(store), get: store.get.bind(store), update: store.update.bind(store) }
    const [shared, foreign] = [await serve({}, { tasks: { store } }), await serve({}, { tasks: { store: own } })]

    expect(shared.metrics()).toMatchObject({ keptTasks: { value: 0, max: 7 }, storedTaskBytes: { value: 0, max: 70 } })
    expect(foreign.metrics()).toMatchObject({ keptTasks: null, storedTaskBytes: null })
    expect(foreign.gauges.all.map(({ name }) => name)).not.toContain('tasks_stored')
  })

  it('include the number of tasks of one principal', async () => {
    const server = await serve({ maxTasksPerPrincipal: 1 })
    await using ada = openRawClient(server, principal('ada'))
    await using bob = openRawClient(server, principal('bob'))
    await create(ada, 'waits', { key: 'one of ada' })
    expect((await call(ada, 'only')).error).toMatchObject({ code: -32603 })
    await create(bob, 'only')
  })

  it('include the number of tasks of one user, across clients', async () => {
    const server = await serve({ maxTasksPerPrincipal: 1 })
    await using desktop = openRawClient(server, principal('ada', { client_id: 'desktop' }))
    await using phone = openRawClient(server, principal('ada', { client_id: 'phone' }))
    await create(desktop, 'waits', { key: 'of the desktop' })
    expect((await call(phone, 'only')).error).toMatchObject({ code: -32603 })
  })

  it('include the bytes of stored tasks', async () => {
    await using client = openRawClient(await serve({ maxTaskBytes: 1000 }))
    const ended = await pass(client, await create(client, 'large'), 'working')
    const error = { code: -32603, message: 'The server cannot store the result. Try again later' }
    expect(ended).toEqual({ resultType: 'complete', ...shownTask('failed', { error }), _meta: serverInfo })
  })

  it('include the bytes of answers, which can be sent again when there is space', async () => {
    const server = await serve({ maxTaskBytes: 1000 })
    await using client = openRawClient(server)
    const asks = await create(client, 'asks')
    await pass(client, asks, 'working')
    const rejected = await update(client, asks, { sure: { ...accept(true), more: 'x'.repeat(1000) } })
    const message = 'The server cannot store the answers. Try again later'
    expect(rejected.error).toEqual({ code: -32603, message })
    expect(server.metrics().rejectedTasks).toBe(1)
    await update(client, asks, { sure: accept(true) })
    expect((await pass(client, asks, 'working')).result).toEqual(textResult('accept true'))
  })
})

const listen = (client: RawClient, taskIds: unknown, capabilities: object = tasks) =>
  client.modern('subscriptions/listen', { notifications: { taskIds } }, capabilities)

describe('a subscription to tasks', () => {
  it("gets the status of its tasks, and nothing of other callers' tasks", async () => {
    const server = await serve()
    await using ada = openRawClient(server, principal('ada'))
    await using bob = openRawClient(server, principal('bob'))
    const asks = await create(ada, 'asks')
    await pass(ada, asks, 'working')
    const ended = await create(ada, 'quick')
    await pass(ada, ended, 'working')
    const unheard = await create(ada, 'waits', { key: 'unheard' })
    const foreign = await create(bob, 'waits', { key: 'foreign' })
    void listen(ada, [asks, ended, foreign, 'unknown', asks])
    const acknowledged = await ada.next()
    expect(acknowledged).toMatchObject({
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { taskIds: [asks, ended] } },
    })
    const { _meta } = acknowledged.params
    const told = (task: object) => ({ jsonrpc: '2.0', method: 'notifications/tasks', params: { ...task, _meta } })
    expect(await ada.next()).toEqual(
      told(shownTask('input_required', { taskId: asks, inputRequests: { sure: expect.anything() } })),
    )
    expect(await ada.next()).toEqual(told(shownTask('completed', { taskId: ended, result: textResult('done') })))
    await cancel(bob, foreign)
    await cancel(ada, unheard)
    await update(ada, asks, { sure: accept(true) })
    expect(await ada.next()).toEqual(told(shownTask('working', { taskId: asks })))
    expect(await ada.next()).toEqual(told(shownTask('completed', { taskId: asks, result: textResult('accept true') })))
  })

  it('gets the expiry of a task', async () => {
    await using client = openRawClient(await serve({ taskTtlMs: 500 }))
    const waits = await create(client, 'waits', { key: 'expired' })
    void listen(client, [waits])
    const heard = [await client.next(), await client.next(), await client.next()]
    expect(heard.map(({ params }) => params.status)).toEqual([undefined, 'working', 'cancelled'])
    expect(heard[2]?.params).toMatchObject({ taskId: waits, statusMessage: 'The task has expired.' })
    expect((await client.modern('tasks/get', { taskId: waits }, tasks)).error).toEqual(unknownTask)
  })

  it('gets the expiry of a task that passed while the process was busy', async () => {
    const taskTtlMs = 500
    const server = await serve({ taskTtlMs })
    const handler = async (): Promise<string> => {
      await sleep(100)
      const end = Date.now() + taskTtlMs
      while (Date.now() < end);
      return 'late'
    }
    server.catalog.addTool({ name: 'busy', task: 'required', handler })
    await using client = openRawClient(server)
    const busy = await create(client, 'busy')
    void listen(client, [busy])
    const heard = [await client.next(), await client.next(), await client.next()]
    expect(heard.map(({ params }) => params.status)).toEqual([undefined, 'working', 'completed'])
    expect((await client.modern('tasks/get', { taskId: busy }, tasks)).error).toEqual(unknownTask)
  })

  it('is rejected if it declares no tasks, or has no ids', async () => {
    await using client = openRawClient(await serve())
    expect((await listen(client, ['a'], {})).error).toMatchObject({ code: -32021 })
    const message = 'Invalid params: "taskIds" must be a list of at most 100 ids'
    for (const ids of ['a', [1], Array.from({ length: 101 }, String)]) {
      // oxlint-disable-next-line no-await-in-loop
      expect((await listen(client, ids)).error).toEqual({ code: -32602, message })
    }
  })
})

const broken = () => Promise.reject(new Error('secret'))

describe('a server with tasks', () => {
  it('cancels running tasks when it closes', async () => {
    const store = new InMemoryTaskStore({ maxTasks: 10, maxTasksPerPrincipal: 10, maxTaskBytes: 1000 })
    const server = await serve({}, { tasks: { store } })
    await using client = openRawClient(server)
    const taskId = await create(client, 'waits', { key: 'closed' })
    await until(() => seen.has('closed'))
    await server.close()
    expect(seen.get('closed')?.[1]).toBe('AbortError: the server was closed')
    expect(await store.get(taskId)).toMatchObject({ status: 'cancelled', statusMessage: 'The server was closed.' })
  })

  it('shares them with a server that has the same store and bus', async () => {
    const store = new InMemoryTaskStore({ maxTasks: 10, maxTasksPerPrincipal: 10, maxTaskBytes: 1000 })
    const listeners = new Set<(task: never) => void>()
    const bus = {
      publish: (task: unknown) => {
        for (const listener of listeners) setImmediate(() => listener(structuredClone(task) as never))
      },
      subscribe: (listener: (task: never) => void) => {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    }
    await using here = openRawClient(await serve({}, { tasks: { store, bus } }))
    await using there = openRawClient(await serve({}, { tasks: { store, bus } }))
    const asks = await create(here, 'asks')
    await pass(there, asks, 'working')
    await update(there, asks, { sure: accept(true) })
    expect((await pass(there, asks, 'working')).result).toEqual(textResult('accept true'))
    const waits = await create(here, 'waits', { key: 'shared' })
    await until(() => seen.has('shared'))
    await cancel(there, waits)
    await until(() => seen.get('shared')?.length === 2)
  })

  it('fails the call, not the process, when its store fails', async () => {
    const store = { create: broken, get: broken, update: broken }
    await using client = openRawClient(await serve({}, { tasks: { store } }))
    const message = 'Tasks are temporarily unavailable. Try again in 1 s'
    const error = { code: -32603, message, data: { retryAfterMs: 1000 } }
    expect((await call(client, 'quick')).error).toEqual(error)
    expect((await client.modern('tasks/get', { taskId: 'a' }, tasks)).error).toEqual(error)
  })

  it('ends its tasks after an outage of the store, and closes without waiting for the store', async () => {
    const store = new InMemoryTaskStore({ maxTasks: 10, maxTasksPerPrincipal: 10, maxTaskBytes: 1000 })
    const updates: (() => Promise<never>)[] = [broken, broken]
    const failing = {
      create: (task: Task) => store.create(task),
      get: (taskId: string) => store.get(taskId),
      update: (taskId: string, change: (task: Task) => Task) => updates.shift()?.() ?? store.update(taskId, change),
    }
    const server = await serve({}, { tasks: { store: failing } })
    await using client = openRawClient(server)

    const { status, result } = await pass(client, await create(client, 'quick'), 'working')

    expect([status, result]).toEqual(['completed', textResult('done')])
    updates.push(...Array.from({ length: 100 }, () => broken))
    const lost = await create(client, 'quick')
    await server.close()
    expect(await store.get(lost)).toMatchObject({ status: 'working' })
  })

  it('publishes an answer and an end that the store saved although its promise was rejected', async () => {
    const store = new InMemoryTaskStore({ maxTasks: 10, maxTasksPerPrincipal: 10, maxTaskBytes: 1000 })
    let isLate = false
    const slow = {
      create: (task: Task) => store.create(task),
      get: (taskId: string) => store.get(taskId),
      update: async (taskId: string, change: (task: Task) => Task) => {
        const changed = await store.update(taskId, change)
        if (isLate) throw new LimitError('unavailable', 'Tasks are temporarily unavailable')
        return changed
      },
    }
    await using client = openRawClient(await serve({}, { tasks: { store: slow } }))
    const taskId = await create(client, 'asks')
    await pass(client, taskId, 'working')
    void listen(client, [taskId])
    expect((await client.next()).method).toBe('notifications/subscriptions/acknowledged')
    expect((await client.next()).params).toMatchObject({ taskId, status: 'input_required' })
    isLate = true

    expect((await update(client, taskId, { sure: accept(true) })).error.data).toEqual({ retryAfterMs: 1000 })

    const heard: string[] = []
    while (heard.at(-1) !== 'completed') heard.push((await client.next()).params.status as string)
    expect((await get(client, taskId)).result).toEqual(textResult('accept true'))
  })

  it('publishes no earlier status of a task after its end', async () => {
    const store = new InMemoryTaskStore({ maxTasks: 10, maxTasksPerPrincipal: 10, maxTaskBytes: 1000 })
    const [bus, heard] = [new InProcessTaskBus(), [] as string[]]
    bus.subscribe(({ status }) => heard.push(status))
    const answer = new EventEmitter()
    let [isDown, isSlow] = [false, false]
    const unordered = {
      create: (task: Task) => store.create(task),
      get: async (taskId: string) => {
        const task = await store.get(taskId)
        if (isSlow) {
          isSlow = false
          await once(answer, 'comes')
        }
        return task
      },
      update: async (taskId: string, change: (task: Task) => Task) => {
        if (!isDown) return store.update(taskId, change)
        isSlow = true
        throw new LimitError('unavailable', 'Tasks are temporarily unavailable')
      },
    }
    await using client = openRawClient(await serve({}, { tasks: { store: unordered, bus } }))
    const taskId = await create(client, 'waits', { key: 'unordered' })
    isDown = true
    expect((await cancel(client, taskId)).error.data).toEqual({ retryAfterMs: 1000 })
    isDown = false
    expect((await cancel(client, taskId)).error).toBeUndefined()

    answer.emit('comes')

    expect((await get(client, taskId)).status).toBe('cancelled')
    expect(heard).toEqual(['cancelled'])
  })

  it('does not start with invalid options', async () => {
    class Bad {
      @McpTool({ task: 'always' as never })
      always(): void {}

      @McpTool({ taskStart: 'by-handler' })
      alone(): void {}

      @McpTool({ task: 'optional', taskStart: 'later' as never })
      later(): void {}
    }
    await expect(createServer({ name: 'test', version: '1', controllers: [Bad] })).rejects.toMatchObject({
      diagnostics: [
        { code: 'bad-option', message: "Bad.always: task is the string 'always'. Give 'optional' or 'required'." },
        {
          code: 'bad-option',
          message: 'Bad.alone: taskStart is given, but the tool is never a task. Set the option task as well.',
        },
        { code: 'bad-option', message: "Bad.later: taskStart is the string 'later'. Give 'at-once' or 'by-handler'." },
      ],
    })
  })
})
