import { createHash } from 'node:crypto'
import { AllowAnonymous, type Authenticator, Authorize, McpTool } from '@toolwright/core'
import type { MountOptions } from '@toolwright/fastify'
import type { FastifyInstance } from 'fastify'
import { closeApps, connectTo, openApp, type TestTool } from '../../../test/support/client/index.js'

afterEach(closeApps)

const ofChrome = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'

interface Page {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
}

async function open(app: FastifyInstance, headers: Record<string, string> = {}, url = '/mcp'): Promise<Page> {
  const sent = { host: 'localhost:3000', accept: ofChrome, ...headers }
  const { statusCode: status, headers: received, body: text } = await app.inject({ method: 'GET', url, headers: sent })
  return { status, headers: received, text }
}

function tool(name: string, more: Partial<TestTool> = {}): TestTool {
  return { name, description: `Tool ${name}`, handler: () => 'done', ...more }
}

/** Accepts requests without credentials only. */
function authenticator(more: Partial<Authenticator> = {}): Authenticator & { asked: number } {
  return {
    asked: 0,
    authenticate() {
      this.asked++
      return null
    },
    ...more,
  }
}

function isPage({ headers }: Page): boolean {
  return String(headers['content-type']).startsWith('text/html')
}

describe('the landing page', () => {
  test('shows name, version, description and tools', async () => {
    const app = await openApp({
      title: 'The words',
      description: 'Counts words',
      tools: [tool('count', { title: 'Count them' })],
    })
    const page = await open(app)
    expect(page.status).toBe(200)
    for (const text of ['The words', '1.0.0', 'Counts words', 'count', 'Count them', 'Tool count']) {
      expect(page.text).toContain(text)
    }
    app.mcp.catalog.removeTool('count')
    expect((await open(app)).text).not.toContain('Count them')
  })

  test('shows no disabled tools, and no tools that `enabled` hides from the request', async () => {
    const app = await openApp({ tools: [tool('count')] })
    app.mcp.catalog.addTool(tool('paint', { enabled: ({ headers }) => headers?.['x-team'] === 'blue' }))
    app.mcp.catalog.disable('count')
    const [other, blue] = [await open(app), await open(app, { 'x-team': 'blue' })]
    expect([other.text.includes('Tool count'), other.text.includes('Tool paint')]).toEqual([false, false])
    expect([blue.text.includes('Tool count'), blue.text.includes('Tool paint')]).toEqual([false, true])
  })

  test('has configuration for each client, with the URL of the request', async () => {
    const { text } = await open(await openApp({ name: 'my server!' }))
    const url = 'http://localhost:3000/mcp'
    expect(text).toContain(`claude mcp add --transport http my-server ${url}`)
    expect(text).toContain(`codex mcp add my-server --url ${url}`)
    expect(text).toContain(`gemini mcp add --transport http my-server ${url}`)
    for (const client of ['Claude Desktop', 'Cursor', 'VS Code', 'ChatGPT']) expect(text).toContain(client)
    const [, cursor = ''] = /href="cursor:[^"]*config=([^"]*)"/.exec(text) ?? []
    expect(JSON.parse(Buffer.from(decodeURIComponent(cursor), 'base64').toString())).toEqual({ url })
    const [, vscode = ''] = /href="vscode:mcp\/install\?([^"]*)"/.exec(text) ?? []
    expect(JSON.parse(decodeURIComponent(vscode))).toEqual({ name: 'my-server', type: 'http', url })
  })

  test('has configuration with the header of the credentials, if clients have to send one', async () => {
    const scheme = { name: 'ApiKey', parameters: { header: 'x-api-key' } }
    const { text } = await open(await openApp({ name: 'keys', authentication: authenticator({ scheme }) }))
    const url = 'http://localhost:3000/mcp'
    const headers = { 'x-api-key': 'YOUR_KEY' }
    expect(text).toContain('This server needs credentials in the header x-api-key: replace YOUR_KEY below with yours.')
    const flag = ' --header &quot;x-api-key: YOUR_KEY&quot;'
    expect(text).toContain(`claude mcp add --transport http keys ${url}${flag}`)
    expect(text).toContain(`gemini mcp add --transport http keys ${url}${flag}`)
    expect(text).toContain('http_headers = { &quot;x-api-key&quot; = &quot;YOUR_KEY&quot; }')
    expect(text).toContain('&quot;x-api-key:${HEADER_1}&quot;')
    expect(text).toContain('ChatGPT cannot send the header x-api-key')
    const [, cursor = ''] = /href="cursor:[^"]*config=([^"]*)"/.exec(text) ?? []
    expect(JSON.parse(Buffer.from(decodeURIComponent(cursor), 'base64').toString())).toEqual({ url, headers })
    const [, vscode = ''] = /href="vscode:mcp\/install\?([^"]*)"/.exec(text) ?? []
    expect(JSON.parse(decodeURIComponent(vscode))).toEqual({ name: 'keys', type: 'http', url, headers })
  })

  test('shows the title of a tool only if the title says more than the name', async () => {
    const { text } = await open(await openApp({ tools: [tool('add_numbers', { title: 'Add Numbers' })] }))
    expect(text).not.toContain('Add Numbers')
  })

  test('allows its own style and script only, and forbids caches, frames and sniffing', async () => {
    const { headers, text } = await open(await openApp())
    const hashOf = (element: string): string => {
      const [, content = ''] = new RegExp(`<${element}>([^]*?)</${element}>`).exec(text) ?? []
      return `'sha256-${createHash('sha256').update(content).digest('base64')}'`
    }
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        `default-src 'none'; style-src ${hashOf('style')}; script-src ${hashOf('script')}; img-src data:; ` +
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      'cache-control': 'no-store',
      vary: 'Accept',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
    })
    // Neither a second script nor an attribute with one.
    expect(text.match(/<script/g)).toHaveLength(1)
    expect(text).not.toMatch(/\son\w+=|style=|https:/)
  })

  test('has Vary: Origin if pages of other origins may call', async () => {
    expect((await open(await openApp({ cors: true }))).headers['vary']).toBe('Origin, Accept')
  })

  test('has no body for HEAD', async () => {
    const app = await openApp()
    const response = await app.inject({ method: 'HEAD', url: '/mcp', headers: { accept: ofChrome } })
    expect(response.statusCode).toBe(200)
    expect(response.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(response.body).toBe('')
  })

  test('escapes all texts of the server', async () => {
    const evil = `</code><script>alert(1)</script><img src=x onerror=alert(1)> " ' & javascript:alert(1)`
    const app = await openApp({
      name: evil,
      title: evil,
      version: evil,
      description: evil,
      tools: [tool('count', { title: evil, description: evil })],
    })
    const { text } = await open(app)
    const escaped =
      '&lt;/code&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt; &quot; &#39; &amp;'
    // In the title of the window, the heading, the version, the description, and twice in the tool.
    expect(text.split(escaped)).toHaveLength(7)
    expect(text).not.toContain('<img')
    expect(text.match(/<script/g)).toHaveLength(1)
    expect(text).toContain('claude mcp add --transport http code-script-alert-1-script-img-src-x-onerror-alert-1')
  })

  test('shows the first tools of many, and the beginnings of long texts', async () => {
    const tools = Array.from({ length: 1000 }, (_, index) =>
      tool(`tool_${String(index).padStart(3, '0')}`, { description: 'long '.repeat(10_000) }),
    )
    const { text } = await open(await openApp({ tools, description: 'long '.repeat(10_000) }))
    expect(text).toContain('tool_039')
    expect(text).not.toContain('tool_040')
    expect(text).toContain('and 960 more')
    expect(text.length).toBeLessThan(30_000)
  })

  test('is at the endpoint only', async () => {
    const app = await openApp({ legacySse: true, rpc: true })
    for (const url of ['/rpc', '/messages', '/other', '/']) expect(isPage(await open(app, {}, url))).toBe(false)
    expect(isPage(await open(app, {}, '/mcp?from=here'))).toBe(true)
  })

  test('is at the endpoint without sessions and with a prefix too', async () => {
    const app = await openApp({ sessions: false, prefix: '/:tenant' } as MountOptions)
    const { text } = await open(app, {}, "/it's%20$(me)/mcp?key=secret")
    expect(text).toContain('http://localhost:3000/it%27s%20%24%28me%29/mcp')
    expect(text).not.toContain('secret')
  })

  test('is off with `landingPage: false`', async () => {
    expect((await open(await openApp({ landingPage: false }))).status).toBe(405)
  })
})

describe('the URL on the landing page', () => {
  test('has the host of a trusted proxy', async () => {
    const forwarded = { 'x-forwarded-host': 'mcp.example.com', 'x-forwarded-proto': 'https' }
    const trusting = await openApp({ fastify: { trustProxy: true }, allowedHosts: ['mcp.example.com'] })
    const { text } = await open(trusting, forwarded)
    expect(text).toContain('claude mcp add --transport http wire https://mcp.example.com/mcp')
    // Claude Desktop and ChatGPT call public URLs themselves.
    expect(text).not.toContain('mcp-remote')
    const { text: untrusted } = await open(await openApp(), forwarded)
    expect(untrusted).not.toContain('mcp.example.com')
  })

  test.each([
    ['https://mcp.example.com/words', 'https://mcp.example.com/words'],
    ['https://mcp.example.com', 'https://mcp.example.com/mcp'],
    ["https://mcp.example.com/words?of='me'&x=$(1)", '&#39;https://mcp.example.com/words?of=%27me%27&amp;x=$(1)&#39;'],
  ])('is based on the protected resource %s', async (resource, url) => {
    const authentication = authenticator({
      metadata: { resource, authorization_servers: ['https://login.example.com'] },
    })
    const { text } = await open(await openApp({ authentication }))
    expect(text).toContain(`claude mcp add --transport http wire ${url}</pre>`)
  })

  test.each(['a$(id).example.com', 'a;b.example.com', "a'b", 'a"b', 'a`b`', 'a<b>', 'a b', 'me@there'])(
    'is never built from the host %j',
    async (host) => {
      const app = await openApp({ allowedHosts: ['*'] })
      const page = await open(app, { host })
      expect(isPage(page)).toBe(false)
    },
  )

  test('is not shown for a host or an origin that is not allowed', async () => {
    const app = await openApp()
    expect(await open(app, { host: 'evil.example.com' })).toMatchObject({ status: 403 })
    expect(await open(app, { origin: 'https://evil.example.com' })).toMatchObject({ status: 403 })
  })
})

class Mixed {
  @AllowAnonymous()
  @McpTool({ description: 'For all', inputSchema: { type: 'object' } })
  open_tool(): string {
    return 'x'
  }

  @Authorize({ roles: ['admin'] })
  @McpTool({ description: 'For admins', inputSchema: { type: 'object' } })
  admin_tool(): string {
    return 'x'
  }
}

describe('the landing page behind authentication', () => {
  const metadata = { resource: 'https://mcp.example.com/mcp', authorization_servers: ['https://login.example.com'] }

  test('shows name and version, and how to sign in', async () => {
    const authentication = authenticator({ metadata })
    const app = await openApp({
      title: 'Inner title',
      description: 'Inner description',
      authentication,
      tools: [tool('inner_tool')],
    })
    const page = await open(app)
    expect(page.status).toBe(200)
    expect(page.text).toContain('wire')
    expect(page.text).toContain('1.0.0')
    expect(page.text).toContain('You need to sign in to use this server. Your client opens a browser window for it.')
    expect(page.text).not.toMatch(/inner/i)
    expect(page.headers['www-authenticate']).toBeUndefined()
    expect(authentication.asked).toBe(0)
  })

  test('shows the same to a caller with credentials', async () => {
    const app = await openApp({
      authentication: authenticator({ authenticate: () => ({ subject: 'me', roles: [], scopes: [], claims: {} }) }),
      tools: [tool('inner_tool')],
    })
    const page = await open(app, { authorization: 'Bearer mine' })
    expect(page.text).not.toContain('inner_tool')
  })

  test('names the header of other credentials', async () => {
    const scheme = { name: 'ApiKey', parameters: { header: 'x-api-<key>' } }
    const { text } = await open(await openApp({ authentication: authenticator({ scheme }) }))
    expect(text).toContain('needs credentials in the header x-api-&lt;key&gt;')
  })

  test('shows the tools of anonymous callers', async () => {
    const app = await openApp({ authentication: authenticator({ metadata }), controllers: [Mixed] })
    const { text } = await open(app)
    expect(text).toContain('open_tool')
    expect(text).not.toMatch(/admin/)
    expect(text).toContain('More tools may be available after you sign in.')
    const closed = await openApp({ authentication: authenticator(), controllers: [Mixed], allowAnonymous: false })
    expect((await open(closed)).text).not.toContain('open_tool')
  })

  test('hides guarded tools also where a hook authenticates', async () => {
    const app = await openApp({ authorization: {}, controllers: [Mixed] })
    app.addHook('onRequest', async (request) => {
      request.mcpPrincipal = { subject: 'me', roles: ['admin'], scopes: [], claims: {} }
    })
    const { text } = await open(app)
    expect(text).toContain('open_tool')
    expect(text).not.toMatch(/admin/)
  })
})

describe('API clients', () => {
  const accepts: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ['without Accept', {}],
    ['that accept everything', { accept: '*/*' }],
    ['that accept events', { accept: 'text/event-stream' }],
    ['that accept events and JSON', { accept: 'application/json, text/event-stream' }],
    ['that accept JSON and HTML alike', { accept: 'application/json, text/html' }],
    ['that prefer events to HTML', { accept: 'text/html;q=0.9, text/event-stream' }],
    ['that reject HTML', { accept: 'text/html;q=0, */*' }],
    ['that accept any text', { accept: 'text/*' }],
    ['that name a session', { accept: ofChrome, 'mcp-session-id': 'x' }],
    ['that name a revision', { accept: ofChrome, 'mcp-protocol-version': '2025-11-25' }],
    ['that resume a stream', { accept: ofChrome, 'last-event-id': '1' }],
  ]

  describe.each([true, false])('with sessions: %s', (sessions) => {
    test.each(accepts)('%s get the same response as without the page', async (_name, headers) => {
      const answers = [true, false].map(async (landingPage) => {
        const app = await openApp({ landingPage, sessions })
        const methods = (['GET', 'HEAD'] as const).map(async (method) => {
          const response = await app.inject({ method, url: '/mcp', headers })
          const { date: _, ...received } = response.headers
          return { status: response.statusCode, received, body: response.body }
        })
        return Promise.all(methods)
      })
      const [withPage, without] = await Promise.all(answers)
      expect(withPage).toEqual(without)
      expect(withPage?.[0]?.status).toBeGreaterThanOrEqual(400)
    })
  })

  test('can open the stream of a session', async () => {
    const app = await openApp()
    const { headers } = await connectTo(app, { era: 'legacy' }).initialize('2025-11-25')
    const opened = await app.inject({
      method: 'GET',
      url: '/mcp',
      headers: { accept: 'text/event-stream', 'mcp-session-id': String(headers['mcp-session-id']) },
      payloadAsStream: true,
    })
    expect(opened.statusCode).toBe(200)
    expect(opened.headers['content-type']).toBe('text/event-stream')
    opened.stream().destroy()
  })

  test('with other methods get no page', async () => {
    const app = await openApp()
    const headers = { accept: ofChrome, 'content-type': 'application/json' }
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'] as const) {
      // oxlint-disable-next-line no-await-in-loop
      const response = await app.inject({ method, url: '/mcp', headers })
      expect(response.headers['content-type']).not.toContain('text/html')
    }
  })
})
