import { AsyncLocalStorage } from 'node:async_hooks'
import { EventEmitter, once } from 'node:events'
import { createServer, McpContext, McpTool, type ProgressUpdate, type ServerOptions } from '@toolwright/core'
import { connect, lanes, type TestConnection } from '@toolwright/testing'
import { pino } from 'pino'
import { openRawClient } from '../support/raw-client.js'

/** Tools that run until they are stopped, and say on `events` how they fare. */
function endlessTools(events: EventEmitter) {
  class EndlessTools {
    @McpTool({ description: 'Until aborted' })
    async untilAborted({ signal }: McpContext): Promise<string> {
      events.emit('started')
      await once(signal, 'abort')
      events.emit('aborted', signal.reason)
      return 'too late'
    }

    @McpTool({ description: 'Until timeout', timeoutMs: 20 })
    async untilTimeout({ signal }: McpContext): Promise<string> {
      await once(signal, 'abort')
      events.emit('aborted', signal.reason)
      throw new Error('gave up')
    }

    @McpTool({ description: 'Deaf', timeoutMs: 20 })
    async deaf(): Promise<never> {
      return new Promise(() => undefined)
    }

    @McpTool({ description: 'Unlimited', timeoutMs: Number.POSITIVE_INFINITY })
    async unlimited(): Promise<string> {
      await new Promise((resolve) => setTimeout(resolve, 40))
      return 'done'
    }

    @McpTool({ description: 'Steps' })
    async *steps(): AsyncGenerator<ProgressUpdate, string> {
      try {
        events.emit('started')
        for (let progress = 1; ; progress++) {
          yield { progress }
          await new Promise(setImmediate)
        }
      } finally {
        events.emit('aborted', 'the generator was closed')
      }
    }

    @McpTool({ description: 'Quick' })
    quick(): string {
      return 'quick'
    }
  }
  return EndlessTools
}

function serving(events: EventEmitter): ServerOptions {
  return { name: 'cancellation', version: '1.0.0', controllers: [endlessTools(events)] }
}

/** Starts a call, cancels it once its handler runs, and returns why the handler's signal says that it was stopped. */
async function cancelOnceStarted({ client }: TestConnection, name: string, events: EventEmitter): Promise<unknown> {
  const controller = new AbortController()
  const [started, aborted] = [once(events, 'started'), once(events, 'aborted')]
  const outcome = client.callTool({ name }, { signal: controller.signal }).then(
    () => 'answered',
    () => 'rejected',
  )
  await started
  controller.abort()
  expect(await outcome).toBe('rejected')
  const [reason] = await aborted
  return reason
}

/** Ids of the requests that the server has answered from now on. */
function watchAnswers({ client }: TestConnection): unknown[] {
  const { transport } = client
  if (transport === undefined) throw new Error('not connected')
  const ids: unknown[] = []
  const { onmessage } = transport
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport has one callback, and no events
  transport.onmessage = (message, extra) => {
    if ('result' in message || 'error' in message) ids.push(message.id)
    onmessage?.(message, extra)
  }
  return ids
}

describe.each(lanes)('$lane, $era', (lane) => {
  it("aborts a handler's signal when the client cancels", async () => {
    const events = new EventEmitter()
    await using connection = await connect(serving(events), lane)
    const reason = await cancelOnceStarted(connection, 'until_aborted', events)
    expect(reason).toMatchObject({ name: 'AbortError', message: expect.stringMatching(/^the client /) })
  })

  it('sends nothing for a call that was cancelled, and goes on serving', async () => {
    const events = new EventEmitter()
    await using connection = await connect(serving(events), lane)
    const answers = watchAnswers(connection)
    await cancelOnceStarted(connection, 'until_aborted', events)
    const { content } = await connection.client.callTool({ name: 'quick' })
    expect(content).toEqual([{ type: 'text', text: 'quick' }])
    expect(answers).toHaveLength(1)
  })

  it('closes an async generator whose call is cancelled', async () => {
    const events = new EventEmitter()
    await using connection = await connect(serving(events), lane)
    expect(await cancelOnceStarted(connection, 'steps', events)).toBe('the generator was closed')
  })

  it('cancels one call and no other', async () => {
    const events = new EventEmitter()
    await using connection = await connect(serving(events), lane)
    const other = connection.client.callTool({ name: 'unlimited' })
    await cancelOnceStarted(connection, 'until_aborted', events)
    expect((await other).content).toEqual([{ type: 'text', text: 'done' }])
  })

  it('aborts when the client has waited for as long as it wants to', async () => {
    const events = new EventEmitter()
    await using connection = await connect(serving(events), lane)
    const aborted = once(events, 'aborted')
    // Long enough for the call to begin, on a busy machine too: who cancels before that cancels nothing.
    await expect(connection.client.callTool({ name: 'until_aborted' }, { timeout: 250 })).rejects.toThrow(
      'Request timed out',
    )
    await aborted
  })

  it('ignores a cancellation of what is not in flight', async () => {
    await using connection = await connect(serving(new EventEmitter()), lane)
    const { client } = connection
    const { content } = await client.callTool({ name: 'quick' })
    for (const requestId of [0, 1, 99, 'unknown', undefined]) {
      await client.notification({ method: 'notifications/cancelled', params: { requestId: requestId as string } })
    }
    expect((await client.callTool({ name: 'quick' })).content).toEqual(content)
  })

  it('stops a call that takes longer than its tool may, and tells the model', async () => {
    const events = new EventEmitter()
    const lines: object[] = []
    const logger = pino({}, { write: (line) => void lines.push(JSON.parse(line)) })
    await using connection = await connect({ ...serving(events), logger }, lane)
    const aborted = once(events, 'aborted')
    expect(await connection.client.callTool({ name: 'until_timeout' })).toMatchObject({
      content: [{ type: 'text', text: "Tool 'until_timeout' did not finish within 0.02 seconds and was stopped." }],
      isError: true,
    })
    const [reason] = await aborted
    expect(reason).toMatchObject({ name: 'TimeoutError', message: 'The call took longer than 20 ms' })
    expect(lines).toEqual([
      expect.objectContaining({ level: 40, timeoutMs: 20, msg: "Tool 'until_timeout' timed out" }),
    ])
  })

  it('answers in time also when a handler does not listen to its signal', async () => {
    await using connection = await connect(serving(new EventEmitter()), lane)
    expect(await connection.client.callTool({ name: 'deaf' })).toMatchObject({
      content: [{ type: 'text', text: "Tool 'deaf' did not finish within 0.02 seconds and was stopped." }],
      isError: true,
    })
  })

  it("takes the server's time limit for tools without one of their own", async () => {
    const events = new EventEmitter()
    await using connection = await connect({ ...serving(events), limits: { callTimeoutMs: 10 } }, lane)
    const { client } = connection
    const [stopped, done] = await Promise.all([
      client.callTool({ name: 'until_aborted' }),
      client.callTool({ name: 'unlimited' }),
    ])
    expect(stopped).toMatchObject({
      content: [{ type: 'text', text: "Tool 'until_aborted' did not finish within 0.01 seconds and was stopped." }],
      isError: true,
    })
    expect(done).toMatchObject({ content: [{ type: 'text', text: 'done' }] })
  })
})

it('a call that takes too long is aborted in its own async context', async () => {
  const caller = new AsyncLocalStorage<string>()
  const seen: [string | undefined, string | undefined][] = []
  class HangingTools {
    @McpTool({ description: 'Hang', timeoutMs: 20 })
    hang({ signal }: McpContext): Promise<never> {
      const own = caller.getStore()
      signal.addEventListener('abort', () => seen.push([own, caller.getStore()]))
      return new Promise(() => undefined)
    }
  }
  const logger = pino({ level: 'silent' })
  const server = await createServer({ name: 'test', version: '1', controllers: [HangingTools], logger })
  await using client = openRawClient(server)

  // Begun in one turn of the event loop.
  const calls = ['one', 'two', 'three'].map((name) =>
    caller.run(name, () => client.modern('tools/call', { name: 'hang', arguments: {} })),
  )
  await Promise.all(calls)

  expect(seen).toStrictEqual([
    ['one', 'one'],
    ['two', 'two'],
    ['three', 'three'],
  ])
})

it('a call that its client cancels is aborted in its own async context', async () => {
  const caller = new AsyncLocalStorage<string>()
  const aborted: unknown[] = []
  class HangingTools {
    @McpTool({ description: 'Hang' })
    hang({ signal }: McpContext): Promise<never> {
      signal.addEventListener('abort', () => aborted.push(caller.getStore()))
      return new Promise(() => undefined)
    }
  }
  const logger = pino({ level: 'silent' })
  const server = await createServer({ name: 'test', version: '1', controllers: [HangingTools], logger })
  await using client = openRawClient(server)

  void caller.run('its own', () => client.modern('tools/call', { name: 'hang', arguments: {} }))
  caller.run('another', () => client.notify('notifications/cancelled', { requestId: 1 }))

  expect(aborted).toEqual(['its own'])
})
