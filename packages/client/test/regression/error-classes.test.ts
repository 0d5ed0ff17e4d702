// The class of an error depends on its cause, and not on the transport.
import { ClientError, ConnectionError, CredentialsError, connect, ServerError } from '@toolwright/client'
import type { AuthenticationRequest, Principal } from '@toolwright/core'
import { serveFake } from '../support/fake-server.js'
import { serveShop } from '../support/lanes.js'

const ann: Principal = { subject: 'ann', roles: [], scopes: [], claims: {} }
const authentication = { authenticate: (_request: AuthenticationRequest): Principal => ann }
const errorOf = (promise: PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve(promise).then(
    () => 'no error',
    (error: unknown) => error,
  )

describe.each(['http', 'webSocket'] as const)('over %s', (transport) => {
  test.each(['modern', 'legacy'] as const)('a rate limit is a ServerError with its data, %s', async (era) => {
    await using shop = await serveShop(0, {}, { rateLimit: { calls: 10, windowMs: 60_000 } })
    await using client = await connect(shop[transport], { era })
    let error: unknown
    for (let call = 0; call < 20 && !(error instanceof Error); call++) {
      // oxlint-disable-next-line no-await-in-loop -- one call after the other
      error = await errorOf(client.call('count_articles'))
    }
    expect(error).toBeInstanceOf(ServerError)
    expect((error as ServerError).data).toMatchObject({ retryAfterMs: expect.any(Number) })
  })

  test('a missing scope is a CredentialsError', async () => {
    await using shop = await serveShop(0, { authentication, allowAnonymous: false })
    shop.server.catalog.addTool({ name: 'refund', authorize: { scopes: ['till:write'] }, handler: () => 'refunded' })
    await using client = await connect(shop[transport])
    const error = await errorOf(client.call('refund'))
    expect(error).toBeInstanceOf(CredentialsError)
    expect((error as CredentialsError).scope).toBe('till:write')
  })
})

test('a limit during connect is a ServerError', async () => {
  await using server = await serveFake((_request, response) => {
    response.writeHead(429, { 'content-type': 'application/json' })
    const error = { code: -32000, message: 'Too many calls', data: { retryAfterMs: 1000 } }
    response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error }))
    return null
  })
  for (const era of ['modern', 'legacy', 'auto'] as const) {
    // oxlint-disable-next-line no-await-in-loop -- one attempt after the other
    const error = await errorOf(connect(server.url, { era }))
    expect(error).toBeInstanceOf(ServerError)
    expect(error).toMatchObject({ message: 'Too many calls', data: { retryAfterMs: 1000 } })
  }
})

test.each([
  ['is empty', ''],
  ['is no JSON', '<html>'],
  ['has a null result', '{"jsonrpc":"2.0","id":9,"result":null}'],
  ['has no version', '{"id":9,"result":{}}'],
])('a response that %s is a ClientError', async (_what, body) => {
  await using server = await serveFake(({ method }, response) => {
    if (method !== 'tools/call') return undefined
    response.writeHead(200, { 'content-type': 'application/json' }).end(body)
    return null
  })
  await using client = await connect(server.url, { era: 'legacy' })
  const error = await errorOf(client.call('echo'))
  expect(error).toBeInstanceOf(ClientError)
  expect(error).toMatchObject({
    code: 'bad-response',
    message: "The call of 'echo' failed: the response of the server is not JSON-RPC.",
  })
})

test('an unknown revision is a ClientError', async () => {
  const result = { protocolVersion: '1999-01-01', capabilities: {}, serverInfo: { name: 'old', version: '1' } }
  await using server = await serveFake(({ method }) => (method === 'initialize' ? result : undefined))
  expect(await errorOf(connect(server.url, { era: 'legacy' }))).toBeInstanceOf(ClientError)
})

test('arguments that are no JSON are a ClientError, but not a ConnectionError', async () => {
  await using server = await serveFake()
  await using client = await connect(server.url, { era: 'legacy' })
  const fetch: Record<string, unknown> = {}
  fetch['fetch'] = fetch
  const error = await errorOf(client.call('echo', { fetch }))
  expect(error).toBeInstanceOf(ClientError)
  expect(error).not.toBeInstanceOf(ConnectionError)
  expect((error as Error).message).toContain('circular structure')
})

test('a result that does not match its output schema is a ClientError, but not a ServerError', async () => {
  const outputSchema = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] }
  const list = { tools: [{ name: 'echo', inputSchema: { type: 'object' }, outputSchema }] }
  const results: unknown[] = [{ content: [] }, { content: [], structuredContent: { sum: 'x' } }]
  await using server = await serveFake(({ method }) =>
    method === 'tools/list' ? list : method === 'tools/call' ? results.shift() : undefined,
  )
  await using client = await connect(server.url, { era: 'legacy' })
  for (let call = 0; call < 2; call++) {
    // oxlint-disable-next-line no-await-in-loop -- one call after the other
    const error = await errorOf(client.call('echo'))
    expect(error).not.toBeInstanceOf(ServerError)
    expect(error).toMatchObject({ code: 'bad-result', message: expect.stringContaining('output schema') })
  }
})

test('a schema of 2500 levels rejects the list with a ClientError', async () => {
  const levels = 2500
  const schema = `${'{"type":"object","properties":{"a":'.repeat(levels)}{}${'}}'.repeat(levels)}`
  await using server = await serveFake(({ method, id }, response) => {
    if (method !== 'tools/list') return undefined
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(`{"jsonrpc":"2.0","id":${id},"result":{"tools":[{"name":"echo","inputSchema":${schema}}]}}`)
    return null
  })
  await using client = await connect(server.url, { era: 'legacy' })
  expect(await errorOf(client.allTools())).toBeInstanceOf(ClientError)
})
