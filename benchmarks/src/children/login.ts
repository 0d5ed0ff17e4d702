import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { login, oidc } from '@toolwright/login'
import { fakeProvider } from '@toolwright/testing'
import { createHost } from 'toolwright'
import { neededScope } from '../access.js'
import { benchmarkControllers, ScopedAddTools } from '../benchmark-tools.js'
import { answerAsTold } from '../served.js'

const redirectUri = 'http://127.0.0.1:9/callback'

// A server with a login, and the token of a user who has logged in.
answerAsTold(async () => {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/mcp`
  const provider = await fakeProvider()
  const host = await createHost({
    name: 'benchmark',
    version: '1.0.0',
    controllers: benchmarkControllers(0, ScopedAddTools),
    fastify: { logger: false },
    authentication: login({
      url,
      secret: randomBytes(32).toString('base64url'),
      provider: oidc(provider.client),
      scopes: [neededScope],
    }),
  })
  await host.listen({ port, host: '127.0.0.1' })
  const { origin } = new URL(url)
  const client = await postJson<{ client_id: string }>(`${origin}/register`, {
    redirect_uris: [redirectUri],
    token_endpoint_auth_method: 'none',
  })
  const verifier = randomBytes(32).toString('base64url')
  const target = new URL('/authorize', origin)
  target.search = new URLSearchParams({
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: redirectUri,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  }).toString()
  const { searchParams } = await provider.logIn(target)
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: client.client_id,
    redirect_uri: redirectUri,
    code: searchParams.get('code') ?? '',
    code_verifier: verifier,
  })
  const response = await fetch(`${origin}/token`, { method: 'POST', body })
  const { access_token: token } = (await response.json()) as { access_token: string }
  await provider.close()
  return { url, token }
})

async function postJson<Answer>(url: string, body: object): Promise<Answer> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  return (await response.json()) as Answer
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}
