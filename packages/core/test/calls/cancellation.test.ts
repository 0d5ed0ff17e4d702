import { AsyncLocalStorage } from 'node:async_hooks'
import { EventEmitter, once } from 'node:events'
import { McpContext, McpTool, type ProgressUpdate } from '@toolwright/core'
import { createServer, type ServerOptions } from '@toolwright/server'
import { connect, lanes, type TestConnection } from '@toolwright/testing'
import { pino } from 'pino'
import { openRawClient } from '../support/raw-client.js'

/** Tools that run until they are stopped, and report their state on `events`. */
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

/** Starts a call, cancels it once its handler runs, and returns the abort reason of the handler's signal. */
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

/** Collects the ids of requests that the server answers from now on. */
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

describe.each(lanes)('cancellation over $lane, $era', (lane) => {
  it("aborts a handler's signal when the client cancels", async () => {
    const events = new EventEmitter()
    await using connection = await connect(serving(events), lane)
    const reason = await cancelOnceStarted(connection, 'until_aborted', events)
    expect(reason).toMatchObject({ name: 'AbortError', message: expect.stringMatching(/^the client /) })
  })

  it('sends no response for a cancelled call, and keeps serving', async () => {
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

  it('cancels only the call with the given id', async () => {
    const events = new EventEmitter()
    await using connection = await connect(serving(events), lane)
    const other = connection.client.callTool({ name: 'unlimited' })
    await cancelOnceStarted(connection, 'until_aborted', events)
    expect((await other).content).toEqual([{ type: 'text', text: 'done' }])
  })

  it('aborts a call when the client times out', async () => {
    const events = new EventEmitter()
    await using connection = await connect(serving(events), lane)
    const aborted = once(events, 'aborted')
    // Long enough for the call to begin, on a busy machine too: an earlier timeout would cancel nothing.
    await expect(connection.client.callTool({ name: 'until_aborted' }, { timeout: 250 })).rejects.toThrow(
      'Request timed out',
    )
    await aborted
  })

  it('ignores a cancellation of an unknown request', async () => {
    await using connection = await connect(serving(new EventEmitter()), lane)
    const { client } = connection
    const { content } = await client.callTool({ name: 'quick' })
    for (const requestId of [0, 1, 99, 'unknown', undefined]) {
      await client.notification({ method: 'notifications/cancelled', params: { requestId: requestId as string } })
    }
    expect((await client.callTool({ name: 'quick' })).content).toEqual(content)
  })

  it('stops a call that exceeds the time limit of its tool, and returns the reason to the model', async () => {
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

  it('returns the timeout error on time, also when the handler ignores its signal', async () => {
    await using connection = await connect(serving(new EventEmitter()), lane)
    expect(await connection.client.callTool({ name: 'deaf' })).toMatchObject({
      content: [{ type: 'text', text: "Tool 'deaf' did not finish within 0.02 seconds and was stopped." }],
      isError: true,
    })
  })

  it("applies the server's time limit to tools without their own", async () => {
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

it('a timed-out call is aborted in its own async context', async () => {
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

  // Both calls begin in one turn of the event loop.
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

it('a cancelled call is aborted in its own async context', async () => {
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
