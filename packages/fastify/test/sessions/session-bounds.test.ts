import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Authenticator } from '@toolwright/core'
import type { FastifyInstance } from 'fastify'
import {
  closeApps,
  connectTo,
  initializeMessage,
  legacyMessage,
  openApp,
  openSession,
  type TestTool,
} from '../../../../test/support/client/index.js'
import { until } from '../../../../test/support/until.js'
import { sessionsOf } from '../support/sessions.js'

async function open(app: FastifyInstance): Promise<Record<string, string>> {
  return {
    'mcp-session-id': String(
      (await connectTo(app, { era: 'legacy' }).initialize('2025-11-25')).headers['mcp-session-id'],
    ),
  }
}

async function ping(app: FastifyInstance, headers: Record<string, string>): Promise<number> {
  return (await connectTo(app, { era: 'legacy' }).send(legacyMessage('ping'), headers)).status
}

afterEach(closeApps)

it('a flood of initialize displaces no session in use, and creates only records', async () => {
  const app = await openApp({ limits: { maxSessions: 20 } })
  const used = await Promise.all(Array.from({ length: 10 }, () => open(app)))
  for (const headers of used) await ping(app, headers)

  for (let flood = 0; flood < 500; flood++) await open(app)

  expect([app.mcp.metrics().sessions.value, sessionsOf(app).held.size]).toStrictEqual([20, 10])
  expect(await Promise.all(used.map((headers) => ping(app, headers)))).toStrictEqual(used.map(() => 200))
})

const bySubject: Authenticator = {
  authenticate: ({ headers }) => ({ subject: String(headers['x-who']), roles: [], scopes: [], claims: {} }),
}

it.each([
  ['address', {}, (who: string) => ({ remoteAddress: who === 'flood' ? '10.0.0.1' : '10.0.0.2' })],
  ['principal', { authentication: bySubject }, (who: string) => ({ headers: { 'x-who': who } })],
])('a flood of %s with used sessions ends no session of another caller', async (_what, options, of) => {
  const app = await openApp({ limits: { maxSessions: 20 }, ...options })
  const send = async (who: string, payload: object, sessionId?: string) => {
    const { headers, ...rest } = { headers: {}, ...of(who) }
    const accept = 'application/json, text/event-stream'
    const named = sessionId === undefined ? {} : { 'mcp-session-id': sessionId }
    return app.inject({ method: 'POST', url: '/mcp', payload, headers: { accept, ...headers, ...named }, ...rest })
  }
  const use = async (who: string): Promise<string> => {
    const id = String((await send(who, initializeMessage('2025-11-25'))).headers['mcp-session-id'])
    expect((await send(who, legacyMessage('ping'), id)).statusCode).toBe(200)
    return id
  }
  const mine = await use('ada')
  const first = await use('flood')

  for (let flood = 0; flood < 100; flood++) await use('flood')

  expect((await send('ada', legacyMessage('ping'), mine)).statusCode).toBe(200)
  expect((await send('flood', legacyMessage('ping'), first)).statusCode).toBe(404)
  expect(app.mcp.metrics().sessions.value).toBe(20)
})

it('a session with an open stream is not displaced; when all sessions are in use, a new one gets 503', async () => {
  const app = await openApp({ limits: { maxSessions: 1 } })
  const legacy = connectTo(app, { era: 'legacy' })
  const client = await openSession(app)
  const stream = await client.listen()

  const rejected = await legacy.initialize('2025-11-25')

  expect([rejected.status, rejected.headers['retry-after'], rejected.json.error]).toStrictEqual([
    503,
    '10',
    { code: -32603, message: 'Too many sessions are in use. Try again in 10 s', data: { retryAfterMs: 10_000 } },
  ])
  stream.cut()
  await until(async () => (await legacy.initialize('2025-11-25')).status === 200)
  client.close()
})

it('subscriptions of a session share one limit', async () => {
  const app = await openApp()
  app.mcp.catalog.addResource({ uri: 'notes://one', name: 'one', handler: () => 'one' })
  const headers = await open(app)
  const subscribe = async (index: number) => {
    const uri = `notes://${String(index).padStart(2000, 'x')}`
    return (await connectTo(app, { era: 'legacy' }).request('resources/subscribe', { uri }, { headers })).json
  }

  for (let index = 0; index < 32; index++) expect((await subscribe(index)).result).toStrictEqual({})

  expect((await subscribe(32)).error).toStrictEqual({
    code: -32602,
    message: 'Invalid params: the URIs of all subscriptions together must have at most 65536 characters',
  })
  expect((await subscribe(1)).result).toStrictEqual({})
})

it('each of 500 sessions ends exactly once, although all are ended several times at the same time', async () => {
  let started = 0
  let ended = 0
  const wait: TestTool = {
    name: 'wait',
    handler: (_args, { signal }) => {
      started++
      return new Promise<void>((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          ended++
          sessionsOf(app).close()
          reject(signal.reason as Error)
        })
      })
    },
  }
  const app = await openApp({ tools: [wait] })
  const sessions = await Promise.all(Array.from({ length: 500 }, () => open(app)))
  const calls = sessions.map((headers) => connectTo(app, { era: 'legacy' }).call('wait', {}, { headers }))
  await until(() => started === 500)

  sessionsOf(app).close()
  sessionsOf(app).close()

  expect([ended, sessionsOf(app).held.size]).toStrictEqual([500, 0])
  expect([...new Set((await Promise.all(calls)).map(({ status }) => status))]).toStrictEqual([503])
})

it('2,000 abandoned sessions leave no memory behind', () => {
  const program = fileURLToPath(new URL('../fixtures/abandoned-sessions.mjs', import.meta.url))

  const { stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', program], { encoding: 'utf8' })

  expect(stderr).toBe('')
  const { sessions, held, kibPerSession } = JSON.parse(stdout) as Record<string, number>
  expect([sessions, held]).toStrictEqual([0, 0])
  expect(kibPerSession).toBeLessThanOrEqual(0.5)
})

it('a long client name is truncated when stored', () => {
  const program = fileURLToPath(new URL('../fixtures/long-client-names.mjs', import.meta.url))

  const { stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', program], { encoding: 'utf8' })

  expect(stderr).toBe('')
  const { sessions, keptMib } = JSON.parse(stdout) as Record<string, number>
  expect(sessions).toBe(21)
  // Before the fix, 60 MiB.
  expect(keptMib).toBeLessThan(2)
})

it('the bodies of subscription requests are not kept in memory', () => {
  const program = fileURLToPath(new URL('../fixtures/open-subscriptions.mjs', import.meta.url))

  const { stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', program], { encoding: 'utf8' })

  expect(stderr).toBe('')
  const { open: opened, keptMib } = JSON.parse(stdout) as Record<string, number>
  expect(opened).toBe(10)
  // Before the fix, 10 MiB.
  expect(keptMib).toBeLessThan(2)
})
