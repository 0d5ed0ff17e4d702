import { connect as connectTyped } from '@toolwright/client'
import type { McpContext, ServerOptions } from '@toolwright/core'
import { mcp } from '@toolwright/fastify'
import { connect } from '@toolwright/testing'
import Fastify from 'fastify'
import { until } from '../../../test/support/until.js'
import { combinations, type Era, serveFront, serveUpstream } from './support/serve.js'
import { waiting, weather } from './support/weather.js'

/** Serves a proxy over HTTP, in front of another proxy, in front of a server. */
async function serveTwoHops(upstreamEra: Era, options: Partial<ServerOptions> = weather) {
  const upstream = await serveUpstream(options, { era: upstreamEra })
  const inner = await serveFront({ inner: { url: upstream.url } })
  const app = Fastify({ forceCloseConnections: true })
  await app.register(mcp, { server: inner.server, allowAnonymous: true, drainTimeoutMs: 0 })
  const url = `${await app.listen({ host: '127.0.0.1', port: 0 })}/mcp`
  const outer = await serveFront({ outer: { url } })
  return {
    upstream,
    outer,
    [Symbol.asyncDispose]: async () => {
      await outer[Symbol.asyncDispose]()
      await app.close()
      await inner[Symbol.asyncDispose]()
      await upstream[Symbol.asyncDispose]()
    },
  }
}

describe.each(combinations)('two proxies between a $client client and a $upstream server', (era) => {
  test('pass on results, URIs, progress, cancellation and questions', async () => {
    await using hops = await serveTwoHops(era.upstream)
    await using connection = await connect(hops.outer.server, {
      era: era.client,
      client: { capabilities: { elicitation: {} } },
    })
    const { client } = connection
    client.setRequestHandler('elicitation/create', async () => ({
      action: 'accept' as const,
      content: { name: 'Ada' },
    }))
    const name = (tool: string): string => `outer_inner_${tool}`

    const forecast = await client.callTool({ name: name('forecast'), arguments: { city: 'Rome' } })
    expect(forecast.structuredContent).toEqual({ city: 'Rome', celsius: 21 })

    const { content } = await client.callTool({ name: name('link') })
    expect(content).toMatchObject([{ uri: 'notes:outer/inner/today' }, {}, { uri: 'https://weather.example/today' }])
    const { contents } = await client.readResource({ uri: 'notes:outer/inner/today' })
    expect(contents).toMatchObject([{ uri: 'notes:outer/inner/today', text: 'bring an umbrella' }])

    const seen: number[] = []
    await client.callTool({ name: name('steps') }, { onprogress: ({ progress }) => void seen.push(progress) })
    expect(seen).toEqual([1, 2])

    expect(await client.callTool({ name: name('ask_name') })).toMatchObject({ content: [{ text: 'Hello Ada' }] })

    const stop = new AbortController()
    const call = client.callTool({ name: name('wait') }, { signal: stop.signal })
    await Promise.all([
      expect(call).rejects.toThrow('abort'),
      until(() => waiting.count === 1).then(() => stop.abort()),
    ])
    await until(() => waiting.count === 0)
  })
})

test('a task passes two proxies', async () => {
  const bake = {
    name: 'bake',
    task: 'optional',
    handler: (_: unknown, { taskId }: McpContext) => String(taskId !== null),
  } as const
  await using hops = await serveTwoHops('modern', { onReady: ({ catalog }) => catalog.addTool(bake) })
  await using client = await connectTyped(hops.outer.server)
  const tasks: string[] = []
  const baked = await client.call('outer_inner_bake', {}, { onTask: ({ status }) => void tasks.push(status) })
  expect([baked, tasks.length > 0]).toEqual(['true', true])
})
