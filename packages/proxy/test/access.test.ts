import { BootError, type CallHook, createServer, type Principal } from '@toolwright/core'
import { mcp } from '@toolwright/fastify'
import { proxy } from '@toolwright/proxy'
import { connect } from '@toolwright/testing'
import Fastify from 'fastify'
import { connectThrough, quiet, serveFront, serveUpstream } from './support/serve.js'
import { weather } from './support/weather.js'

const textOf = (result: object): string => (result as { content: { text: string }[] }).content[0]?.text ?? ''

test('rules, limits and hooks of the server apply to each tool of an upstream', async () => {
  const seen: string[] = []
  const hook: CallHook = { onInvoking: ({ name }) => void seen.push(name) }
  await using upstream = await serveUpstream(weather)
  await using front = await serveFront(
    {
      up: {
        url: upstream.url,
        tool: ({ name }) => {
          if (name === 'forecast') return { authorize: { roles: ['admin'] } }
          return name === 'log' ? { rateLimit: { calls: 1, windowMs: 60_000 } } : {}
        },
      },
    },
    { hooks: [hook] },
  )
  await using user = await connect(front.server, { principal: { subject: 'ada' } })
  await using admin = await connect(front.server, { principal: { subject: 'ben', roles: ['admin'] } })
  const forecast = { name: 'up_forecast', arguments: { city: 'Rome' } }
  await expect(user.client.callTool(forecast)).rejects.toThrow('Forbidden')
  expect((await user.client.listTools()).tools.map(({ name }) => name)).not.toContain('up_forecast')
  expect((await admin.client.callTool(forecast)).isError).not.toBe(true)
  await user.client.callTool({ name: 'up_log' })
  await expect(user.client.callTool({ name: 'up_log' })).rejects.toThrow('at most 1 in 60 s')
  expect(seen).toEqual(['up_forecast', 'up_log'])
})

test('nothing of the caller is forwarded, and auth gives the credentials of each caller', async () => {
  const headers: Record<string, unknown>[] = []
  const server = await createServer({
    name: 'upstream',
    controllers: [],
    ...quiet,
    onReady: ({ catalog }) =>
      catalog.addTool({
        name: 'who',
        handler: (_, context) => {
          headers.push({ ...context.headers })
          return String(context.headers?.['x-user'])
        },
      }),
  })
  const app = Fastify({ forceCloseConnections: true })
  await app.register(mcp, { server, allowAnonymous: true, drainTimeoutMs: 0 })
  const url = `${await app.listen({ host: '127.0.0.1', port: 0 })}/mcp`
  const auth = (caller: Principal | null) => ({ 'x-user': caller?.subject ?? 'front' })
  {
    await using front = await serveFront({ none: { url }, some: { url, auth } })
    const callAs = async (subject: string, name: string) => {
      await using connection = await connect(front.server, { principal: { subject } })
      return textOf(await connection.client.callTool({ name }))
    }
    expect(await callAs('ada', 'none_who')).toBe('undefined')
    expect(await Promise.all(['ada', 'ben', 'ada'].map((subject) => callAs(subject, 'some_who')))).toEqual([
      'ada',
      'ben',
      'ada',
    ])
    expect(headers.every((one) => one['authorization'] === undefined)).toBe(true)
  }
  await app.close()
  await server.close()
})

test('a redirect to another origin gets no request', async () => {
  const reached: string[] = []
  const thief = Fastify()
  thief.all('/*', async ({ url }) => void reached.push(url))
  const thiefUrl = await thief.listen({ host: '127.0.0.1', port: 0 })
  const lure = Fastify()
  lure.all('/*', async (_, reply) => reply.redirect(`${thiefUrl}/mcp`, 307))
  const lureUrl = await lure.listen({ host: '127.0.0.1', port: 0 })
  {
    await using front = await serveFront({ up: { url: `${lureUrl}/mcp`, auth: () => ({ 'x-key': 'secret' }) } })
    expect(front.source.status()[0]?.state).toBe('down')
  }
  expect(reached).toEqual([])
  await Promise.all([thief.close(), lure.close()])
})

test('a proxy whose upstreams form a cycle ends at the limit of hops', async () => {
  await using chain = await connectThrough(weather)
  const call = { name: 'up_forecast', arguments: { city: 'Rome' } }
  const atLimit = await chain.client.callTool({ ...call, _meta: { 'toolwright/hops': 8 } })
  expect(textOf(atLimit)).toContain('has passed 8 proxies')
  expect((await chain.client.callTool({ ...call, _meta: { 'toolwright/hops': 7 } })).isError).not.toBe(true)
})

test('mistakes in the options of upstreams are reported together', () => {
  const wrong = {
    'bad name': { url: 'http://127.0.0.1/mcp' },
    none: {},
    both: { url: 'http://127.0.0.1/mcp', command: 'node' },
    scheme: { url: 'ftp://127.0.0.1' },
    secret: { url: 'http://user:pass@127.0.0.1/mcp' },
    misspelled: { url: 'http://127.0.0.1/mcp', prefx: 'a_' },
    program: { command: 'node', auth: () => ({}) },
  }
  let failed: unknown
  try {
    proxy(wrong)
  } catch (error) {
    failed = error
  }
  expect(failed).toBeInstanceOf(BootError)
  const message = String(failed)
  for (const part of [
    "'bad name'",
    'neither url nor command',
    'both url and command',
    'ftp:',
    'a user',
    'Did you mean prefix?',
    'auth returns',
  ])
    expect(message).toContain(part)
  expect(message).not.toContain('pass@')
})
