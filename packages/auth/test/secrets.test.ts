import { Writable } from 'node:stream'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { anyOf, apiKeys, authenticateWith, createHost, introspection, jwtBearer, McpContext, McpTool } from 'toolwright'
import { audience, createKey, IdentityProvider } from './support/identity-provider.js'
import { bearer, callWho, closeHosts, openProtectedHost, sendRaw } from './support/protected-host.js'

let provider: IdentityProvider

beforeAll(async () => {
  provider = await IdentityProvider.start()
})

afterEach(closeHosts)

afterAll(() => provider.stop())

/** Secrets that appear in log lines or responses, whole or as a recognizable part. */
function leaksOf(secrets: readonly string[], texts: readonly string[]): readonly string[] {
  const pieces = secrets.flatMap((secret) => [secret, ...secret.split('.').filter((piece) => piece.length >= 16)])
  return pieces.filter((piece) => texts.some((text) => text.includes(piece)))
}

test('credentials appear in no log line and no response, whether valid or not', async () => {
  const { issuer, jwks } = provider
  const [apiKey, clientSecret, cookie] = [
    'api-key-0123456789abcdef',
    'client-secret-0123456789',
    'cookie-0123456789abcdef',
  ]
  const authentication = anyOf(
    apiKeys({ keys: [{ key: apiKey, subject: 'build' }] }),
    jwtBearer({ issuer, jwks, audience }),
    introspection({ endpoint: `${issuer}/introspect`, issuer, audience, clientId: 'mcp', clientSecret }),
  )
  const host = await openProtectedHost(authentication, { legacySse: true })
  const tokens = [
    await provider.sign(),
    await provider.sign({ exp: 1 }),
    await provider.sign({ aud: 'x' }),
    await provider.sign({ iss: 'https://evil.example' }),
    await provider.sign({}, {}, await createKey('unknown')),
    'opaque-0123456789abcdef',
    'not a token at all-0123456789abcdef',
  ]
  const answers: string[] = []
  for (const token of tokens) {
    const headers = { ...bearer(token), cookie, dpop: `proof-${token}` }
    // oxlint-disable-next-line no-await-in-loop
    answers.push(
      JSON.stringify(await callWho(host, headers, { url: `/mcp?access_token=${encodeURIComponent(token)}` })),
    )
  }
  answers.push(JSON.stringify(await callWho(host, { 'x-api-key': apiKey })))
  answers.push(JSON.stringify(await callWho(host, { 'x-api-key': `${apiKey}x` })))
  // The shapes in which an application logs a request.
  const headers = { authorization: `Bearer ${tokens[0]}`, Cookie: cookie, 'x-api-key': apiKey, dpop: cookie }
  host.app.log.info({ headers, req: { headers, url: `/x?a=1&token=${tokens[0]}`, method: 'GET' } }, 'logged')
  host.app.log.info({ request: { headers }, res: { headers }, authorization: tokens[0], token: tokens[0] }, 'logged')
  host.app.log.error({ err: Object.assign(new Error('failed'), { config: { headers } }) }, 'logged')
  expect(host.lines.length).toBeGreaterThan(20)
  expect(leaksOf([...tokens, apiKey, clientSecret, cookie], [...host.lines, ...answers])).toEqual([])
  expect(host.lines.join('')).toContain('"url":"/mcp"')
})

test.each([
  ['of the endpoint', '/mcp?access_token='],
  ['with an escaped name', '/mcp?access%5Ftoken='],
  ['under any name', '/mcp?refresh_token='],
  ['after a semicolon', '/mcp;access_token='],
  ['of a path without a route', '/sse?access_token='],
  ['of a malformed path', '/mcp/%zz?access_token='],
  ['of an absolute URL', 'http://localhost/mcp?access_token='],
])('a token in the query %s appears in no log line and no response', async (_name, target) => {
  const secret = 'secret-0123456789abcdef'
  const host = await openProtectedHost(apiKeys({ keys: [{ key: 'k'.repeat(32), subject: 'build' }] }))
  const answer = await sendRaw(host, `GET ${target}${secret} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
  expect(answer).toMatch(/^HTTP\/1.1 4\d\d /)
  expect(leaksOf([secret], [answer, ...host.lines])).toEqual([])
  expect(host.lines.join('')).toContain('incoming request')
})

test('an invalid Host or Origin header is logged and repeated without its query', async () => {
  const secret = 'secret-0123456789abcdef'
  const host = await openProtectedHost(apiKeys({ keys: [{ key: 'k'.repeat(32), subject: 'build' }] }))
  const answers = [
    await callWho(host, { host: `evil.example?access_token=${secret}` }),
    await callWho(host, { origin: `http://evil.example?access_token=${secret}` }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([403, 403])
  expect(leaksOf([secret], [JSON.stringify(answers), ...host.lines])).toEqual([])
})

test('the bytes of a request that cannot be parsed are not logged', async () => {
  const host = await openProtectedHost(apiKeys({ keys: [{ key: 'k'.repeat(32), subject: 'build' }] }))
  await sendRaw(host, 'GET /mcp HTTP/1.1\r\nAuthorization: Bearer secret\r\nno header\r\n\r\n')
  const line = host.lines.find((text) => text.includes('client error'))
  expect(JSON.parse(line ?? '{}')).toMatchObject({ err: { rawPacket: '[redacted]' } })
})

test('rejected credentials are logged with the reason', async () => {
  const host = await openProtectedHost(jwtBearer({ issuer: provider.issuer, jwks: provider.jwks, audience }))
  await callWho(host, bearer(await provider.sign({ exp: 1 })))
  await callWho(host, {})
  const rejections = host.lines.map((line) => JSON.parse(line)).filter(({ reason }) => reason !== undefined)
  expect(rejections).toEqual([
    expect.objectContaining({ level: 30, reason: 'expired', msg: 'request rejected: invalid credentials' }),
  ])
})

test('a failure to fetch keys is logged as a server error, not as a fault of the caller', async () => {
  const gone = await IdentityProvider.start()
  const { jwks } = gone
  await gone.stop()
  const host = await openProtectedHost(jwtBearer({ issuer: provider.issuer, jwks, audience }))
  expect(await callWho(host, bearer(await provider.sign()))).toMatchObject({ status: 503 })
  const rejections = host.lines.map((line) => JSON.parse(line)).filter(({ reason }) => reason !== undefined)
  expect(rejections).toEqual([
    expect.objectContaining({
      level: 40,
      reason: expect.stringContaining('could not be fetched'),
      msg: 'request rejected: credentials could not be checked',
    }),
  ])
})

test('an error of a lookup function is logged without the headers in it', async () => {
  const host = await openProtectedHost(
    authenticateWith(({ headers }) => {
      throw Object.assign(new Error('the directory is down'), { config: { headers } })
    }),
  )
  expect(await callWho(host, bearer('secret-0123456789abcdef'))).toMatchObject({ status: 500 })
  expect(host.lines.join('')).toContain('the directory is down')
  expect(leaksOf(['secret-0123456789abcdef'], host.lines)).toEqual([])
})

test('the application can keep its own log serializers', async () => {
  const lines: string[] = []
  const stream = new Writable({ write: (chunk, _encoding, done) => done(void lines.push(String(chunk))) })
  const logger = { stream, redact: ['mine'], serializers: { req: () => ({ mine: true }) } }
  const app = await createHost({ name: 'own', version: '1', controllers: [], fastify: { logger } })
  await app.inject('/')
  app.log.info({ mine: 1, cookie: 2 }, 'logged')
  await app.close()
  expect(lines.join('')).toMatch(/"req":{"mine":true}[^]*"mine":"\[Redacted\]","cookie":2/)
})

class WhoTools {
  @McpTool({ description: 'Who calls' })
  who(context: McpContext): string {
    return `${context.principal?.subject} may ${context.principal?.scopes.join(' and ')}`
  }
}

test.each(['modern', 'legacy'] as const)('the official client calls with its token, %s', async (era) => {
  const { issuer, jwks } = provider
  const app = await createHost({
    name: 'who',
    version: '1.0.0',
    controllers: [WhoTools],
    authentication: jwtBearer({ issuer, jwks, audience }),
    fastify: { logger: false },
  })
  const url = new URL('/mcp', await app.listen({ host: '127.0.0.1', port: 0 }))
  const token = await provider.sign({ scope: 'read write' })
  const transport = new StreamableHTTPClientTransport(url, { authProvider: { token: async () => token } })
  const mode = era === 'modern' ? { pin: '2026-07-28' } : 'legacy'
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  await client.connect(transport)
  const { content } = await client.callTool({ name: 'who' })
  await client.close()
  await app.close()
  expect(content).toEqual([{ type: 'text', text: 'alice may read and write' }])
})
