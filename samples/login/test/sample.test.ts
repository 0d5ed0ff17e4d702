import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { FakeBrowser } from '../../../packages/testing/src/fake-browser.js'
import { call, startSample } from '../../../test/support/sample.js'

async function freePort(): Promise<string> {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return String(port)
}

it('login: a client logs in with nothing but the URL, and signs the guest book', async () => {
  const sample = await startSample('login', { PORT: await freePort() })
  const sent: URL[] = []
  const kept: Record<string, unknown> = {}
  const authProvider: OAuthClientProvider = {
    redirectUrl: 'http://127.0.0.1:9/callback',
    clientMetadata: { redirect_uris: ['http://127.0.0.1:9/callback'], token_endpoint_auth_method: 'none' },
    clientInformation: () => kept['client'] as never,
    saveClientInformation: (client) => void (kept['client'] = client),
    tokens: () => kept['tokens'] as never,
    saveTokens: (tokens) => void (kept['tokens'] = tokens),
    codeVerifier: () => kept['verifier'] as string,
    saveCodeVerifier: (verifier) => void (kept['verifier'] = verifier),
    discoveryState: () => kept['state'] as never,
    saveDiscoveryState: (state) => void (kept['state'] = state),
    redirectToAuthorization: (url) => void sent.push(url),
  }
  const transport = new StreamableHTTPClientTransport(sample.url, { authProvider })
  await expect(new Client({ name: 'a', version: '1' }).connect(transport)).rejects.toThrow(UnauthorizedError)
  await transport.finishAuth((await new FakeBrowser().logIn(sent[0] as URL)).searchParams)
  const client = new Client({ name: 'a', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(sample.url, { authProvider }))

  await call(client, 'sign', { text: 'Hello' })

  expect(await call(client, 'read')).toEqual({ content: [{ type: 'text', text: 'Ann: Hello' }] })
  await client.close()
  expect((await sample.stop()).code).toBe(0)
})
