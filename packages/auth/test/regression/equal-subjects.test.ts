import { type Authenticator, anyOf, apiKeys, authenticateWith, principalKey } from 'toolwright'
import { principalOf } from '../support/authenticate.js'
import { closeHosts, openProtectedHost } from '../support/protected-host.js'

// A user with a name of their choice owned the sessions and tasks of an API key with the same name.

afterEach(closeHosts)

const key = 'k'.repeat(20)
const users = (header: string): Authenticator =>
  authenticateWith(({ headers }) => {
    const subject = headers[header]
    return typeof subject === 'string' ? { subject } : null
  })
const keys = (header = 'x-api-key'): Authenticator => apiKeys({ keys: [{ key, subject: 'alice' }], header })

const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
})
const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'who' } })

test('a session of a user is not found with an API key of the same name', async () => {
  const { app } = await openProtectedHost(anyOf(users('x-user'), keys()))
  const send = (method: 'POST' | 'DELETE', payload: string | undefined, more: Record<string, string>) =>
    app.inject({
      method,
      url: '/mcp',
      ...(payload === undefined ? {} : { payload }),
      headers: {
        host: 'localhost',
        accept: 'application/json, text/event-stream',
        ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
        ...more,
      },
    })
  const opened = await send('POST', initialize, { 'x-user': 'alice' })
  const session = { 'mcp-session-id': String(opened.headers['mcp-session-id']), 'mcp-protocol-version': '2025-06-18' }
  const statuses = [
    (await send('POST', call, { ...session, 'x-api-key': key })).statusCode,
    (await send('DELETE', undefined, { ...session, 'x-api-key': key })).statusCode,
    (await send('POST', call, { ...session, 'x-user': 'alice' })).statusCode,
  ]
  expect(statuses).toEqual([404, 404, 200])
})

test('equal subjects of different authenticators are different principals, also of two of a kind', async () => {
  const authenticator = anyOf(users('x-a'), users('x-b'), keys(), anyOf(keys('x-c'), keys('x-d')))
  const headers: Record<string, string>[] = [
    { 'x-a': 'alice' },
    { 'x-b': 'alice' },
    { 'x-api-key': key },
    { 'x-c': key },
    { 'x-d': key },
  ]
  const found = await Promise.all(headers.map((one) => principalOf(authenticator, { headers: one })))
  expect(new Set(found.map(principalKey)).size).toBe(5)
  const again = await principalOf(authenticator, { headers: { 'x-api-key': key } })
  expect(again).toBe(found[2])
})

test('a caller keeps its state when another authenticator is added behind', async () => {
  const headers = { 'x-api-key': key }
  const [alone, first] = [
    await principalOf(keys(), { headers }),
    await principalOf(anyOf(keys(), users('x')), { headers }),
  ]
  expect(principalKey(first)).toBe(principalKey(alone))
})

test('principals with an issuer have the same key in every authenticator', async () => {
  const withIssuer = authenticateWith(() => ({ subject: 'alice', claims: { iss: 'https://a.example' } }))
  const principal = await principalOf(anyOf(keys(), withIssuer), {})
  expect(principalKey(principal)).toBe(JSON.stringify(['https://a.example', 'alice', null]))
})
