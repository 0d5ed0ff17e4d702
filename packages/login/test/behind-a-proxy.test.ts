import { once } from 'node:events'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { runCommand } from '../../cli/test/run-command.js'
import { FakeBrowser } from './support/browser.js'
import { logInAndConnect, whoCalls } from './support/clients.js'
import { closeServers, ProtectedServer } from './support/protected-server.js'
import { RawClient } from './support/raw-client.js'

let proxy: Server | undefined

afterEach(async () => {
  await closeServers()
  proxy?.closeAllConnections()
  proxy?.close()
  proxy = undefined
})

const publicUrl = new URL('https://mcp.example.com/mcp')

/** A browser that reaches the public host through a proxy that ends TLS. */
function browserBehind(server: ProtectedServer): FakeBrowser {
  const browser = new FakeBrowser()
  browser.open = (url, init) => {
    const node = new URL(url)
    if (url.origin === publicUrl.origin) Object.assign(node, { protocol: 'http:', host: `127.0.0.1:${server.port}` })
    return browser.openVia(url, node, init)
  }
  return browser
}

test('a login over https uses cookies that no other host can set, and public URLs only', async () => {
  const server = await ProtectedServer.start({ url: publicUrl.href })
  const local = `http://127.0.0.1:${server.port}`
  const registered = (await (
    await fetch(`${local}/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ redirect_uris: ['http://127.0.0.1:9/callback'], token_endpoint_auth_method: 'none' }),
    })
  ).json()) as { client_id: string }
  const client = new RawClient(publicUrl)
  client.id = registered.client_id
  const { url, verifier } = client.authorization()
  const browser = browserBehind(server)
  const cookies: string[] = []
  const open = browser.open.bind(browser)
  browser.open = async (...args) => {
    const response = await open(...args)
    cookies.push(...response.headers.getSetCookie())
    return response
  }

  const reached = await browser.logIn(url)

  expect(reached.searchParams.get('iss')).toBe('https://mcp.example.com')
  const ofServer = cookies.filter((cookie) => !cookie.startsWith('company'))
  expect(ofServer.find((cookie) => cookie.startsWith('__Host-login='))).toMatch(
    /Path=\/; HttpOnly; SameSite=Lax; .*Secure/,
  )
  for (const cookie of ofServer) expect(cookie).toMatch(/;\s*secure/i)
  expect(browser.visited.some(({ host }) => host.startsWith('127.0.0.1') && host.endsWith(String(server.port)))).toBe(
    false,
  )
  const form = {
    grant_type: 'authorization_code',
    code: String(reached.searchParams.get('code')),
    code_verifier: verifier,
  }
  const { body } = await client.token({ ...form, redirect_uri: client.redirectUri }, {}, local)
  expect((await client.call(String(body['access_token']), new URL(`${local}/mcp`))).status).toBe(200)
})

/** Starts a server behind a proxy that answers all paths except the forwarded ones with the page of a web application. */
async function startBehind(forwarded: RegExp): Promise<URL> {
  let port = 0
  const front = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming
    if (!forwarded.test(url ?? '')) {
      outgoing.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><div id="app"></div>')
      return
    }
    const passed = request({ host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    passed.on('error', () => outgoing.destroy())
    incoming.pipe(passed)
  })
  proxy = front
  await once(front.listen(0, '127.0.0.1'), 'listening')
  const url = new URL(`http://127.0.0.1:${(front.address() as AddressInfo).port}/mcp`)
  const server = await ProtectedServer.start({ url: url.href })
  port = server.port
  return url
}

test('a login works behind a proxy that forwards only the paths that the guide lists', async () => {
  const url = await startBehind(
    /^\/(?:mcp|authorize|token|register|revoke|login|oauth\/callback|\.well-known)(?:[/?]|$)/,
  )

  const client = await logInAndConnect(url)

  expect(await whoCalls(client)).toMatchObject({ subject: 'ann' })
  await client.close()
})

test('toolwright doctor --login names the paths that a proxy does not forward', async () => {
  const url = await startBehind(/^\/mcp(?:[/?]|$)/)

  const { code, stdout } = await runCommand(['doctor', '--login', url.href])

  expect(code).toBe(1)
  expect(stdout).toContain(`${url.origin}/.well-known/oauth-protected-resource/mcp`)
  expect(stdout).toContain('A proxy has to forward `/.well-known/…`, too.')
})
