import type { Principal } from '@toolwright/core'
import { mcp } from '@toolwright/fastify'
import Fastify, { type FastifyInstance } from 'fastify'
import { initializeMessage, legacyMessage, type Message } from '../../../../test/support/client/index.js'
import { sessionsOf } from '../support/sessions.js'

const apps: FastifyInstance[] = []
afterEach(() => Promise.all(apps.splice(0).map((app) => app.close())))

const people: Readonly<Record<string, Principal>> = {
  alice: principal('alice', { iss: 'https://a.example', client_id: 'desktop', exp: 1 }),
  'alice, refreshed': principal('alice', { iss: 'https://a.example', client_id: 'desktop', exp: 2, scope: 'more' }),
  'alice by azp': principal('alice', { iss: 'https://a.example', azp: 'desktop' }),
  'alice with another client': principal('alice', { iss: 'https://a.example', client_id: 'phone' }),
  'alice without a client': principal('alice', { iss: 'https://a.example' }),
  'alice of another issuer': principal('alice', { iss: 'https://b.example', client_id: 'desktop' }),
  bob: principal('bob', { iss: 'https://a.example', client_id: 'desktop' }),
  'one who poses as three': principal('alice","desktop', { iss: 'https://a.example' }),
}

function principal(subject: string, claims: Record<string, unknown>): Principal {
  return { subject, roles: [], scopes: [], claims }
}

/** Authenticates by a header, as a hook of an application would by a token. */
async function openApp(): Promise<FastifyInstance> {
  const app = Fastify()
  apps.push(app)
  app.addHook('onRequest', async (request) => {
    request.mcpPrincipal = people[String(request.headers['x-who'])] ?? null
  })
  await app.register(mcp, { name: 'bound', version: '1.0.0', controllers: [], legacySse: true })
  return app
}

function send(app: FastifyInstance, who: string | undefined, body: Message | object, sessionId?: string) {
  return app.inject({
    method: 'POST',
    url: '/mcp',
    headers: {
      accept: 'application/json, text/event-stream',
      ...(who === undefined ? {} : { 'x-who': who }),
      ...(sessionId === undefined ? {} : { 'mcp-session-id': sessionId }),
    },
    payload: body,
  })
}

async function openSession(app: FastifyInstance, who: string | undefined): Promise<string> {
  const id = String((await send(app, who, initializeMessage('2025-11-25'))).headers['mcp-session-id'])
  expect((await send(app, who, legacyMessage('ping'), id)).statusCode).toBe(200)
  return id
}

test.each([{}, { subject: 42, roles: [], scopes: [] }, { subject: 'alice', roles: [], scopes: 'a b' }, undefined])(
  'a hook that sets the invalid principal %j gets its request rejected, and the server keeps running',
  async (none) => {
    const app = Fastify({ logger: false })
    apps.push(app)
    app.addHook('onRequest', async (request) => {
      request.mcpPrincipal = none as never
    })
    await app.register(mcp, { name: 'bound', version: '1.0.0', controllers: [] })
    app.mcp.catalog.addTool({ name: 'erase', handler: () => 'erased', authorize: { scopes: ['a'] } })
    const { statusCode, body } = await send(app, undefined, legacyMessage('tools/call', { name: 'erase' }))
    expect(statusCode).toBe(500)
    expect(body).not.toContain('erased')
  },
)

const strangers = [
  'alice with another client',
  'alice without a client',
  'alice of another issuer',
  'bob',
  'one who poses as three',
  undefined,
]

describe.each(strangers)('a session of another caller, for %p,', (stranger) => {
  it('causes the same responses as an unknown session, for every request', async () => {
    const app = await openApp()
    const id = await openSession(app, 'alice')
    const unknown = '00000000-0000-4000-8000-000000000000'
    const who: Record<string, string> = stranger === undefined ? {} : { 'x-who': stranger }
    const ask = (sessionId: string) =>
      Promise.all([
        send(app, stranger, legacyMessage('ping'), sessionId),
        send(app, stranger, { jsonrpc: '2.0', method: 'notifications/initialized' }, sessionId),
        send(app, stranger, { jsonrpc: '2.0', id: 1, result: {} }, sessionId),
        send(app, stranger, [legacyMessage('ping')], sessionId),
        ...['', '0-1'].map((last) =>
          app.inject({
            url: '/mcp',
            headers: {
              accept: 'text/event-stream',
              'mcp-session-id': sessionId,
              ...who,
              ...(last === '' ? {} : { 'last-event-id': last }),
            },
          }),
        ),
        app.inject({ method: 'DELETE', url: '/mcp', headers: { 'mcp-session-id': sessionId, ...who } }),
      ])

    const [theirs, nobodys] = [await ask(id), await ask(unknown)]

    expect(theirs.map(({ statusCode }) => statusCode)).toStrictEqual([404, 404, 404, 404, 404, 404, 404])
    const shownOf = ({ body, headers: { date: _date, ...headers } }: (typeof theirs)[number]) => ({ body, headers })
    expect(theirs.map(shownOf)).toStrictEqual(nobodys.map(shownOf))
    expect((await send(app, 'alice', legacyMessage('ping'), id)).statusCode).toBe(200)
  })
})

it.each(['alice, refreshed', 'alice by azp'])('a session continues for %s', async (who) => {
  const app = await openApp()
  const id = await openSession(app, 'alice')

  expect((await send(app, who, legacyMessage('ping'), id)).statusCode).toBe(200)
})

it('a session of an anonymous caller is unknown to authenticated callers', async () => {
  const app = await openApp()
  const id = await openSession(app, undefined)

  expect((await send(app, 'alice', legacyMessage('ping'), id)).statusCode).toBe(404)
})

it('rejected requests create no session, and no session state at the node', async () => {
  const app = await openApp()
  const opened = await send(app, 'alice', initializeMessage('2025-11-25'))
  const id = String(opened.headers['mcp-session-id'])

  for (let round = 0; round < 100; round++) {
    await Promise.all([
      send(app, 'bob', legacyMessage('ping'), id),
      send(app, 'bob', legacyMessage('ping'), 'no uuid'),
      send(app, 'bob', legacyMessage('initialize', {})),
      send(app, 'bob', legacyMessage('initialize', { protocolVersion: '2025-11-25', capabilities: [] })),
      app.inject({ url: '/mcp', headers: { accept: 'text/event-stream', 'mcp-session-id': id, 'x-who': 'bob' } }),
      app.inject({ method: 'DELETE', url: '/mcp', headers: { 'mcp-session-id': id, 'x-who': 'bob' } }),
      app.inject({
        method: 'POST',
        url: '/mcp',
        payload: initializeMessage('2025-11-25'),
        headers: { host: 'evil.example' },
      }),
    ])
  }

  expect([app.mcp.metrics().sessions.value, sessionsOf(app).held.size]).toStrictEqual([1, 0])
})

it('an HTTP+SSE stream accepts messages of its owner only', async () => {
  const app = await openApp()
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  const stream = await fetch(`${address}/sse`, { headers: { accept: 'text/event-stream', 'x-who': 'alice' } })
  const { value } = await (stream.body as ReadableStream<Uint8Array>).getReader().read()
  const url = String(/^data: (.*)$/m.exec(Buffer.from(value ?? []).toString())?.[1])
  const sendAs = async (who: string) =>
    (await app.inject({ method: 'POST', url, payload: legacyMessage('ping'), headers: { 'x-who': who } })).statusCode

  expect([await sendAs('bob'), await sendAs('alice, refreshed')]).toStrictEqual([404, 202])
})
