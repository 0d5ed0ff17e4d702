// A client with DPoP-bound tokens, at two nodes that share a Redis.
import { createHash } from 'node:crypto'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { FastifyInstance } from 'fastify'
import { calculateJwkThumbprint, SignJWT } from 'jose'
import { createHost, jwtBearer } from 'toolwright'
import { until } from '../../../test/support/until.js'
import { audience, createKey, IdentityProvider, type SigningKey } from '../../auth/test/support/identity-provider.js'
import { WhoTools } from '../../auth/test/support/protected-host.js'
import { newPrefix, RedisServer } from './support/redis-server.js'

let provider: IdentityProvider
let key: SigningKey
let token: string
const hosts: FastifyInstance[] = []

const server = RedisServer.forTests(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.close()))
})
beforeAll(async () => {
  provider = await IdentityProvider.start()
  key = await createKey('own', 'ES256')
  token = await provider.sign({ cnf: { jkt: await calculateJwkThumbprint(key.jwk) } })
})
afterAll(() => provider.stop())

async function openNode(prefix: string): Promise<string> {
  const redis = await server.connect({ prefix })
  const { issuer, jwks } = provider
  const host = await createHost({
    name: 'bound',
    version: '1.0.0',
    controllers: [WhoTools],
    ...redis.stores,
    authentication: jwtBearer({ issuer, jwks, audience, dpop: { required: true, proofStore: redis.proofStore } }),
    fastify: { logger: false },
  })
  hosts.push(host)
  return `${await host.listen({ host: '127.0.0.1', port: 0 })}/mcp`
}

let proofs = 0

async function bind(method: string): Promise<Record<string, string>> {
  const { kty, crv, x, y } = key.jwk
  const ath = createHash('sha256').update(token).digest('base64url')
  const iat = Math.floor(Date.now() / 1000)
  const dpop = await new SignJWT({ htm: method, htu: audience, jti: `proof-${proofs++}`, ath, iat })
    .setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk: JSON.parse(JSON.stringify({ kty, crv, x, y })) })
    .sign(key.privateKey)
  return { authorization: `DPoP ${token}`, dpop }
}

/** Replays a recorded request. */
type Replay = (url: string) => Promise<Response>

async function connectTo(url: string): Promise<{ client: Client; seen: Replay[] }> {
  const seen: Replay[] = []
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    fetch: async (address, init) => {
      const headers = new Headers(init?.headers)
      for (const [name, value] of Object.entries(await bind(init?.method ?? 'GET'))) headers.set(name, value)
      const sent = { ...init, headers }
      if (init?.method === 'POST')
        seen.push((other) => fetch(other, { method: 'POST', headers, body: init.body ?? null }))
      return fetch(address, sent)
    },
  })
  const client = new Client({ name: 'bound', version: '1.0.0' })
  await client.connect(transport)
  return { client, seen }
}

it('a request whose proof was used at one node is rejected by both, and a new proof is accepted by either', async () => {
  const prefix = newPrefix()
  const [a, b] = [await openNode(prefix), await openNode(prefix)]
  const { client, seen } = await connectTo(a)
  expect((await client.callTool({ name: 'who' })).content).toStrictEqual([{ type: 'text', text: 'alice' }])
  const replay = seen.at(-1) as Replay

  const replies = [await replay(b), await replay(a)]

  expect(replies.map(({ status }) => status)).toStrictEqual([401, 401])
  expect(replies[0]?.headers.get('www-authenticate')).toContain('error="invalid_dpop_proof"')
  const other = await connectTo(b)
  expect((await other.client.callTool({ name: 'who' })).content).toStrictEqual([{ type: 'text', text: 'alice' }])
  await Promise.all([client.close(), other.client.close()])
})

it.each([
  ['is down', () => server.proxy.goAway()],
  ['does not respond', () => server.proxy.hang()],
] as const)('while Redis %s, requests with proofs get 503', async (_how, begin) => {
  const url = await openNode(newPrefix())
  const { client } = await connectTo(url)
  const call = async (): Promise<Response> =>
    fetch(url, {
      method: 'POST',
      headers: { ...(await bind('POST')), 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'who' } }),
    })
  expect((await call()).status).toBe(200)
  begin()

  const reply = await call()

  expect([reply.status, reply.headers.get('retry-after'), reply.headers.get('www-authenticate')]).toStrictEqual([
    503,
    '1',
    null,
  ])
  server.proxy.comeBack()
  await until(async () => (await call()).status === 200)
  await client.close()
})
