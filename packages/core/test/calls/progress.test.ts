import type { Progress } from '@modelcontextprotocol/client'
import { McpContext, McpTool, type ProgressUpdate, Type } from '@toolwright/core'
import { type ServerOptions } from '@toolwright/server'
import { connect, lanes, type TestConnection } from '@toolwright/testing'

class CountingTools {
  @McpTool()
  async count(context: McpContext): Promise<string> {
    context.progress(1, 3, 'one')
    await Promise.resolve()
    context.progress({ progress: 2, total: 3 })
    context.progress(2.5)
    return 'counted'
  }

  @McpTool()
  stumble(context: McpContext): string {
    for (const progress of [1, 1, 0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2]) context.progress(progress)
    return 'stumbled'
  }

  @McpTool({ output: Type.Object({ count: Type.Integer() }) })
  async *generate(): AsyncGenerator<ProgressUpdate, { count: number }> {
    yield { progress: 1, total: 2, message: 'half' }
    yield { progress: 2, total: 2 }
    return { count: 2 }
  }

  @McpTool()
  *generateAtOnce(): Generator<ProgressUpdate, string> {
    yield { progress: 1 }
    return 'at once'
  }

  @McpTool()
  async *generateError(): AsyncGenerator<ProgressUpdate, string> {
    yield { progress: 1 }
    throw new Error('after a while')
  }

  @McpTool()
  reportLate(context: McpContext): string {
    setTimeout(() => context.progress(1), 1)
    return 'too early'
  }
}

class BusyTools {
  @McpTool({ timeoutMs: 50 })
  *busy(context: McpContext): Generator<ProgressUpdate, string> {
    const end = performance.now() + 2000
    for (let progress = 1; performance.now() < end && !context.signal.aborted; progress++) yield { progress }
    return 'done'
  }
}

const options: ServerOptions = { name: 'progress', version: '1.0.0', controllers: [CountingTools] }

/** Calls a tool, and returns its first text and the progress reported before the result. */
async function callWithProgress({ client }: TestConnection, name: string) {
  const reported: Progress[] = []
  const { content, structuredContent, isError } = await client.callTool(
    { name },
    { onprogress: (progress) => reported.push(progress) },
  )
  return { text: (content[0] as { text: string }).text, structuredContent, isError, reported }
}

/** Collects every message that the server sends from now on. */
function watch({ client }: TestConnection): unknown[] {
  const { transport } = client
  if (transport === undefined) throw new Error('not connected')
  const received: unknown[] = []
  const { onmessage } = transport
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport has one callback, and no events
  transport.onmessage = (message, extra) => {
    received.push(message)
    onmessage?.(message, extra)
  }
  return received
}

describe.each(lanes)('a call over $lane, $era', (lane) => {
  it('reports progress while it runs, before its result', async () => {
    await using connection = await connect(options, lane)
    expect(await callWithProgress(connection, 'count')).toEqual({
      text: 'counted',
      reported: [{ progress: 1, total: 3, message: 'one' }, { progress: 2, total: 3 }, { progress: 2.5 }],
    })
  })

  it('drops progress that does not increase', async () => {
    await using connection = await connect(options, lane)
    expect(await callWithProgress(connection, 'stumble')).toEqual({
      text: 'stumbled',
      reported: [{ progress: 1 }, { progress: 2 }],
    })
  })

  it('reports values that an async generator yields, and returns its return value', async () => {
    await using connection = await connect(options, lane)
    expect(await callWithProgress(connection, 'generate')).toEqual({
      text: '{"count":2}',
      structuredContent: { count: 2 },
      reported: [
        { progress: 1, total: 2, message: 'half' },
        { progress: 2, total: 2 },
      ],
    })
  })

  it('runs a synchronous generator in the same way', async () => {
    await using connection = await connect(options, lane)
    expect(await callWithProgress(connection, 'generate_at_once')).toEqual({
      text: 'at once',
      reported: [{ progress: 1 }],
    })
  })

  it('returns an error when an async generator throws', async () => {
    await using connection = await connect(options, lane)
    expect(await callWithProgress(connection, 'generate_error')).toEqual({
      text: expect.stringMatching(/^Tool 'generate_error' failed\./),
      isError: true,
      reported: [{ progress: 1 }],
    })
  })

  it('reports no progress to a client that did not request it', async () => {
    await using connection = await connect(options, lane)
    const received = watch(connection)
    for (const name of ['count', 'generate']) await connection.client.callTool({ name })
    expect(received).toEqual([
      expect.objectContaining({ result: expect.anything() }),
      expect.objectContaining({ result: expect.anything() }),
    ])
  })

  it('reports nothing after the result', async () => {
    await using connection = await connect(options, lane)
    const received = watch(connection)
    expect(await callWithProgress(connection, 'report_late')).toEqual({ text: 'too early', reported: [] })
    // Waits for a whole other exchange: progress reported meanwhile would have arrived.
    await new Promise((resolve) => setTimeout(resolve, 5))
    await connection.client.listTools()
    expect(received.filter((message) => (message as { method?: string }).method !== undefined)).toEqual([])
  })

  it('separates the progress of concurrent calls', async () => {
    await using connection = await connect(options, lane)
    const [counted, generated] = await Promise.all([
      callWithProgress(connection, 'count'),
      callWithProgress(connection, 'generate'),
    ])
    expect(counted.reported.map(({ progress }) => progress)).toEqual([1, 2, 2.5])
    expect(generated.reported.map(({ progress }) => progress)).toEqual([1, 2])
  })
})

it('progress has no message for clients of a revision without progress messages', async () => {
  const client = { supportedProtocolVersions: ['2024-11-05'] }
  await using connection = await connect(options, { era: 'legacy', client })
  expect((await callWithProgress(connection, 'generate')).reported).toEqual([
    { progress: 1, total: 2 },
    { progress: 2, total: 2 },
  ])
})

it('a generator that never waits yields to the event loop and obeys its time limit', async () => {
  await using connection = await connect({ ...options, controllers: [BusyTools] })
  const begin = performance.now()
  expect(await connection.client.callTool({ name: 'busy' })).toMatchObject({ isError: true })
  expect(performance.now() - begin).toBeLessThan(1500)
})
