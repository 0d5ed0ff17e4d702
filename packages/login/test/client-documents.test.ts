import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { Diagnostics } from '@toolwright/core/options'
import type { LoginOptions } from '@toolwright/login'
import { SignJWT } from 'jose'
import { tls as certificate } from '../../fastify/test/support/tls.js'
import { checkLoginOptions } from '../src/check-options.js'
import { createLogin } from '../src/create-login.js'
import { createDocumentFetch, fetchPublic } from '../src/http/fetch-public.js'
import { isPublicAddress } from '../src/http/public-addresses.js'
import { closeServers, ProtectedServer } from './support/protected-server.js'
import { RawClient } from './support/raw-client.js'

let publisher: Server | undefined

afterEach(async () => {
  await closeServers()
  publisher?.closeAllConnections()
  publisher?.close()
  publisher = undefined
})

interface Published {
  readonly url: string
  readonly origin: string
  readonly requests: string[]
}

/** Publishes the metadata of a client at `https://localhost`. */
async function publish(
  document: (url: string) => object,
  answer?: (response: ServerResponse) => void,
): Promise<Published> {
  const requests: string[] = []
  const { key, cert } = certificate
  const server = createServer({ key, cert }, (request: IncomingMessage, response: ServerResponse) => {
    requests.push(request.url ?? '')
    if (answer !== undefined) return answer(response)
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document(url)))
  })
  publisher = server
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const origin = `https://localhost:${(server.address() as AddressInfo).port}`
  const url = `${origin}/client.json`
  return { url, origin, requests }
}

const fetchLocal = createDocumentFetch({ isAllowed: () => true, ca: certificate.cert })

/** A login that accepts documents of this machine. */
function localLogin(options: LoginOptions) {
  const settings = checkLoginOptions(options, new Diagnostics())
  if (settings === null) throw new Error('invalid options')
  return createLogin(settings, fetchLocal)
}

const redirectUri = 'http://localhost/callback'

describe('a client whose id is the URL of its metadata', () => {
  test('logs in without registration, at any port, and the page shows who publishes it', async () => {
    const { url, requests, origin } = await publish((id) => ({
      client_id: id,
      client_name: 'Claude Code',
      redirect_uris: [redirectUri],
    }))
    const server = await ProtectedServer.start({ authentication: localLogin })
    const client = new RawClient(server.url, 'http://localhost:54545/callback')
    client.id = url

    const tokens = await client.logInForTokens()
    const again = await client.logInForTokens()

    expect((await client.call(tokens.access_token)).status).toBe(200)
    expect((await client.refresh(again.refresh_token)).status).toBe(200)
    // The document is cached.
    expect(requests).toHaveLength(1)
    const { FakeBrowser } = await import('./support/browser.js')
    const { response } = await new FakeBrowser().follow(client.authorization().url, client.redirectUri)
    expect(await response?.text()).toContain(`The app is published by ${new URL(origin).host}.`)
  })

  test.each([
    ['in its metadata, for the issuer', false, ''],
    ['at a URL, for the token endpoint', true, '/token'],
  ])('authenticates with a key %s, and each assertion once', async (_where, isAtUrl, path) => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const jwks = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k', alg: 'ES256', use: 'sig' }] }
    const { url } = await publish(
      () => ({}),
      (response) => {
        const origin = `https://${response.req.headers.host}`
        const metadata = {
          client_id: `${origin}/client.json`,
          redirect_uris: [redirectUri],
          token_endpoint_auth_method: 'private_key_jwt',
          token_endpoint_auth_signing_alg: 'ES256',
          ...(isAtUrl ? { jwks_uri: `${origin}/keys.json` } : { jwks }),
        }
        const document = response.req.url === '/keys.json' ? jwks : metadata
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document))
      },
    )
    const server = await ProtectedServer.start({ authentication: localLogin })
    const client = new RawClient(server.url, redirectUri)
    client.id = url
    const assertion = await new SignJWT({ iss: url, sub: url, aud: `${server.url.origin}${path}`, jti: randomUUID() })
      .setProtectedHeader({ alg: 'ES256', kid: 'k' })
      .setIssuedAt()
      .setExpirationTime('1 minute')
      .sign(privateKey)
    const proof = {
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: assertion,
    }
    const { code, verifier } = await client.logIn()

    expect((await client.exchange(code, verifier)).status).toBe(401)
    expect((await client.exchange(code, verifier, proof)).status).toBe(200)
    expect((await client.exchange('other', verifier, proof)).status).toBe(401)
  })

  test.each([
    ['that names another client', (id: string) => ({ client_id: `${id}x`, redirect_uris: [redirectUri] })],
    ['with a secret', (id: string) => ({ client_id: id, redirect_uris: [redirectUri], client_secret: 'x' })],
    [
      'with a forbidden redirect URI',
      (id: string) => ({ client_id: id, redirect_uris: ['http://evil.example/callback'] }),
    ],
    [
      'with dot segments',
      (id: string) => ({ client_id: id, redirect_uris: ['https://client.example/a/../b', redirectUri] }),
    ],
    ['that is too large', (id: string) => ({ client_id: id, redirect_uris: [redirectUri], filler: 'x'.repeat(6000) })],
  ])('is rejected with a document %s', async (_what, document) => {
    const { url } = await publish(document)
    const server = await ProtectedServer.start({ authentication: localLogin })
    const client = new RawClient(server.url, redirectUri)
    client.id = url

    const response = await fetch(client.authorization().url, { redirect: 'manual' })

    expect([response.status, response.headers.get('location')]).toStrictEqual([400, null])
  })

  test.each([
    [
      'a redirect',
      (response: ServerResponse) => void response.writeHead(302, { location: 'https://localhost:1/' }).end(),
    ],
    ['an error', (response: ServerResponse) => void response.writeHead(500).end('{}')],
    ['no JSON', (response: ServerResponse) => void response.writeHead(200).end('<html>')],
    [
      'an endless document',
      (response: ServerResponse) => {
        const timer = setInterval(() => response.write('x'.repeat(2000)), 5)
        response.on('close', () => clearInterval(timer))
      },
    ],
  ])('is rejected for %s, and the error is not cached', async (_what, answer) => {
    const { url, requests } = await publish(() => ({}), answer)
    const server = await ProtectedServer.start({ authentication: localLogin })
    const client = new RawClient(server.url, redirectUri)
    client.id = url

    const first = await fetch(client.authorization().url, { redirect: 'manual' })
    const before = requests.length
    const second = await fetch(client.authorization().url, { redirect: 'manual' })

    expect([first.status, second.status]).toStrictEqual([400, 400])
    expect(requests.length).toBeGreaterThan(before)
  })

  test('that never answers is given up, and others log in meanwhile', async () => {
    const { url } = await publish(
      () => ({}),
      () => undefined,
    )
    const server = await ProtectedServer.start({ authentication: localLogin })
    const client = new RawClient(server.url, redirectUri)
    client.id = url

    const slow = fetch(client.authorization().url, { redirect: 'manual' })
    await new RawClient(server.url).logInForTokens()

    expect((await slow).status).toBe(400)
  })

  test.each([
    '127.0.0.1',
    'localhost',
    '[::1]',
    '0.0.0.0',
    '[::ffff:127.0.0.1]',
    '2130706433',
    '169.254.169.254',
    '10.0.0.1',
  ])('at %s is never fetched', async (host) => {
    const { origin, requests } = await publish((id) => ({ client_id: id, redirect_uris: [redirectUri] }))
    const server = await ProtectedServer.start()
    const client = new RawClient(server.url, redirectUri)
    client.id = `https://${host}:${new URL(origin).port}/client.json`

    const response = await fetch(client.authorization().url, { redirect: 'manual' })

    expect([response.status, response.headers.get('location')]).toStrictEqual([400, null])
    expect(requests).toStrictEqual([])
    await expect(fetchPublic(client.id)).rejects.toThrow('not public')
  })

  test.each([
    'http://client.example/a',
    'https://client.example',
    'https://client.example/',
    'https://u@client.example/a',
    'https://client.example/a/../b',
    'https://client.example/a#b',
  ])('is no valid id: %s', async (id) => {
    const fetched = jest.fn()
    const server = await ProtectedServer.start({
      authentication: (options) => createLogin(checkLoginOptions(options, new Diagnostics()) as never, fetched),
    })
    const client = new RawClient(server.url, redirectUri)
    client.id = id

    expect((await client.exchange('x', 'x')).status).toBe(401)
    expect(fetched).not.toHaveBeenCalled()
  })

  test('is unknown if the server accepts no documents', async () => {
    const { url, requests } = await publish((id) => ({ client_id: id, redirect_uris: [redirectUri] }))
    const server = await ProtectedServer.start({ authentication: localLogin, registration: false })
    const client = new RawClient(server.url, redirectUri)
    client.id = url

    expect((await client.exchange('x', 'x')).status).toBe(401)
    expect(requests).toStrictEqual([])
  })
})

test.each([
  ['8.8.8.8', true],
  ['2606:4700::1', true],
  ['100.64.0.1', false],
  ['172.31.0.1', false],
  ['198.18.0.1', false],
  ['224.0.0.1', false],
  ['255.255.255.255', false],
  ['::', false],
  ['fe80::1', false],
  ['fd00::1', false],
  ['64:ff9b::7f00:1', false],
  ['2002:7f00:1::', false],
  ['2001::1', false],
  ['::ffff:8.8.8.8', false],
])('the address %s is public: %s', (address, isPublic) => {
  expect(isPublicAddress(address)).toBe(isPublic)
})
