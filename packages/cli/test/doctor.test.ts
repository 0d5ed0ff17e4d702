import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { startSample } from '../../../test/support/sample.js'
import { root, runCommand } from './run-command.js'

interface Finding {
  readonly check: string
  readonly status: 'ok' | 'warn' | 'fail'
  readonly found: string
  readonly fix?: string
}

/** Runs the doctor. @returns Its findings that are not `ok`, and all names of checks that passed. */
async function examine(args: readonly string[], options: { cwd?: string; env?: Record<string, string> } = {}) {
  const { code, stdout, stderr } = await runCommand(['doctor', ...args, '--json'], options)
  if (stderr !== '') throw new Error(stderr)
  const findings = JSON.parse(stdout) as readonly Finding[]
  const bad = findings.filter(({ status }) => status !== 'ok')
  return { code, bad, passed: findings.filter(({ status }) => status === 'ok').map(({ check }) => check) }
}

const problem = (status: string, check: string, found: string) =>
  expect.objectContaining({ status, check, found: expect.stringContaining(found), fix: expect.any(String) }) as Finding

describe('toolwright doctor, in a project,', () => {
  let folder: string

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'toolwright-doctor-'))
    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(join(root, 'node_modules', 'toolwright'), join(folder, 'node_modules', 'toolwright'), 'junction')
  })

  afterEach(() => rmSync(folder, { recursive: true }))

  function write(files: Readonly<Record<string, string | object>>): void {
    for (const [name, content] of Object.entries(files)) {
      const path = join(folder, name)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
    }
  }

  it('finds mistakes in the configuration, the build and the installed packages', async () => {
    write({
      'package.json': { type: 'module', dependencies: { toolwright: '*', plugin: '*' } },
      'base.json': { compilerOptions: { module: 'commonjs', target: 'es2017', outDir: 'dist' } },
      'tsconfig.json':
        '{ // as generated\n "extends": "./base", "compilerOptions": { "experimentalDecorators": true, }, }',
      'src/main.ts':
        "import { serve } from 'toolwright'\nawait serve({ name: 'broken', version: 'x', controlers: [] } as never)",
      'src/new-tools.ts': 'export {}',
      'dist/main.js': '',
      'dist/old-tools.js': "__decorate([McpTool('old')], OldTools.prototype, 'old', null)",
      'node_modules/plugin/package.json': { dependencies: { toolwright: '0.0.1' } },
      'node_modules/plugin/node_modules/toolwright/package.json': { version: '0.0.1' },
    })
    for (const name of ['main.js', 'old-tools.js']) utimesSync(join(folder, 'dist', name), 1, 1)

    const { code, bad } = await examine([], { cwd: folder, env: { PORT: '0' } })

    expect(code).toBe(1)
    expect(bad).toEqual([
      problem('fail', 'tsconfig', 'emitDecoratorMetadata is off'),
      problem('warn', 'tsconfig', 'module is commonjs'),
      problem('warn', 'tsconfig', 'target is es2017'),
      problem('warn', 'build', 'changed since the build: src/main.ts, src/new-tools.ts'),
      problem('fail', 'leftovers', 'compiled files without a source: dist/old-tools.js'),
      problem('fail', 'metadata', 'without decorator metadata (parameter types): dist/old-tools.js'),
      problem('fail', 'copies', 'toolwright is installed 2 times:\n'),
      problem('fail', 'boot', 'The server cannot start: '),
    ])
  })

  it('finds tools that models and attackers would misuse, and a port in use', async () => {
    const listener = createServer().listen(0, '127.0.0.1')
    await once(listener, 'listening')
    const { port } = listener.address() as AddressInfo
    write({
      'package.json': { type: 'module', dependencies: { toolwright: '*' } },
      'main.js': `
        import { serve } from 'toolwright'
        const text = { type: 'object', properties: { name: { type: 'string', pattern: '^([a-z]+)+$' } } }
        const tools = [['get_note', 'Returns a note'], ['get_notes', ''], ['explain', 'x'.repeat(50_000)]]
        await serve({
          name: 'tools', version: '1',
          onReady({ catalog }) {
            for (const [name, description] of tools) {
              const inputSchema = name === 'get_note' ? text : { type: 'object' }
              catalog.addTool({ name, ...(description === '' ? {} : { description }), inputSchema, handler: () => 'done' })
            }
          },
        })`,
    })

    const { code, bad, passed } = await examine(['main.js'], { cwd: folder, env: { PORT: String(port) } })
    listener.close()

    expect(code).toBe(1)
    expect(bad).toEqual([
      problem('warn', 'descriptions', 'tools without a description: get_notes'),
      problem('warn', 'names', 'easily confused: get_note and get_notes'),
      problem('warn', 'tokens', 'the list of 3 tools costs a model about 12567 tokens'),
      problem('fail', 'patterns', 'can take exponential time: get_note: ^([a-z]+)+$'),
      problem('warn', 'port', `127.0.0.1:${port} is not free (EADDRINUSE)`),
    ])
    expect(passed).toEqual(expect.arrayContaining(['node', 'tsconfig', 'copies', 'boot']))
  })

  it('validates OpenAPI documents, and names the operation and the place of each mistake', async () => {
    mkdirSync(join(folder, 'node_modules', '@toolwright'))
    for (const name of ['core', 'openapi']) {
      const path = join('node_modules', '@toolwright', name)
      symlinkSync(join(root, path), join(folder, path), 'junction')
    }
    write({
      'package.json': { type: 'module', dependencies: { toolwright: '*', '@toolwright/openapi': '*' } },
      'shop.yaml': `openapi: 3.1.0
info: { title: Shop, version: '1' }
servers: [{ url: https://shop.example }]
paths:
  /orders/{id}:
    get:
      operationId: order
      summary: Returns an order
      paramters: []
      parameters:
        - { name: id, in: path, required: true, schema: { type: string } }
        - { name: day, in: query, schema: { $ref: 'https://other.example/schemas.yaml#/Day' } }
      responses:
        '200':
          description: ok
          content: { application/json: { schema: { $ref: 'parts.yaml#/Order' } } }
    delete:
      operationId: order
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
      responses: { '204': { description: ok } }
`,
      'parts.yaml': 'Order: { type: object, properties: { id: { type: strng } } }',
      'main.js': `
        import { serve } from 'toolwright'
        import { openApi } from '@toolwright/openapi'
        const document = new URL('shop.yaml', import.meta.url)
        await serve({ name: 'shop', version: '1', sources: [openApi({ document, auth: 'none', include: { methods: ['DELETE'] } })] })`,
    })
    const mistakes = [
      problem(
        'fail',
        'openapi',
        "shop.yaml:9:7, GET /orders/{id}: paramters: Property 'paramters' is not expected here",
      ),
      problem(
        'fail',
        'openapi',
        "shop.yaml:12:43, GET /orders/{id}: parameters > 1 > schema: Can't resolve $ref: documents of",
      ),
      problem('fail', 'openapi', "parts.yaml:1:50, Order > properties > id > type: 'type' can be one of"),
      problem('fail', 'openapi', 'shop.yaml:18:7, DELETE /orders/{id}: order: Every operation must have a unique'),
    ]

    const document = await examine(['shop.yaml'], { cwd: folder })
    expect(document.code).toBe(1)
    expect(document.bad).toEqual(mistakes)
    const project = await examine(['main.js'], { cwd: folder, env: { PORT: '0' } })
    expect(project.bad.filter(({ check }) => check === 'openapi')).toEqual(mistakes)
  })

  it('finds nothing in a valid OpenAPI document', async () => {
    write({ 'shop.json': { openapi: '3.0.3', info: { title: 'Shop', version: '1' }, paths: {} } })
    expect(await examine(['shop.json'], { cwd: folder })).toEqual({ code: 0, bad: [], passed: ['openapi'] })
  })
})

describe('toolwright doctor, with a URL,', () => {
  const servers: Server[] = []

  async function serve(listener: RequestListener): Promise<string> {
    const server = createServer(listener).listen(0, '127.0.0.1')
    servers.push(server)
    await once(server, 'listening')
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  }

  afterAll(() => {
    for (const server of servers) {
      server.closeAllConnections()
      server.close()
    }
  })

  /** A proxy that sends a response when it is complete, and puts its own address into the request. */
  function bufferingProxy(target: URL): RequestListener {
    return (incoming, outgoing) => {
      const headers = { ...incoming.headers, host: target.host, origin: target.origin }
      const forwarded = request(target, { method: incoming.method ?? 'GET', headers }, (response: IncomingMessage) => {
        void buffer(response).then(
          (body) => outgoing.writeHead(response.statusCode ?? 502, response.headers).end(body),
          () => outgoing.destroy(),
        )
      })
      forwarded.once('error', () => outgoing.destroy())
      outgoing.once('close', () => forwarded.destroy())
      incoming.pipe(forwarded)
    }
  }

  it('finds nothing wrong with a server of the framework, and finds a proxy that buffers and hides hosts', async () => {
    const sample = await startSample('calculator')
    const proxied = await serve(bufferingProxy(sample.url))
    const [direct, behind, watched] = await Promise.all([
      runCommand(['doctor', sample.url.href]),
      examine([proxied]),
      examine([sample.url.href, '--watch', '0.5']),
    ])
    await sample.stop()
    expect(direct.stdout).toMatch(/^ {2}ok {4}tls +not needed on this machine\n/)
    expect(direct.stdout).toMatch(/\n {2}ok {4}buffering +the first event of a stream arrived after \d+ ms\n/)
    expect(direct.stdout).toMatch(/\n\n\d+ checks: 0 failures, 0 warnings\n$/)
    expect(direct.code).toBe(0)
    expect(behind).toMatchObject({
      code: 1,
      bad: [
        problem('fail', 'hosts', 'requests for the host attacker.example are served'),
        problem('fail', 'origins', 'pages of https://attacker.example can call the server'),
        problem('fail', 'buffering', 'no event of a stream arrived within 5 s'),
      ],
    })
    expect(watched).toMatchObject({ code: 0, bad: [], passed: expect.arrayContaining(['time-outs']) })
  })

  it('finds incomplete challenges and documents of servers that require a login', async () => {
    const silent = await serve((_request, response) => void response.writeHead(401).end())
    const nameless = await serve((incoming, response) => {
      const origin = `http://${incoming.headers.host}`
      if (incoming.url === '/.well-known/oauth-protected-resource/mcp') {
        const document = { resource: `${origin}/other`, authorization_servers: [`${origin}/issuer`] }
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document))
      } else if (incoming.url?.includes('oauth-authorization-server') === true) {
        const metadata = { issuer: `${origin}/issuer`, authorization_endpoint: 'x', token_endpoint: 'x' }
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(metadata))
      } else if (incoming.method === 'POST') response.writeHead(401, { 'www-authenticate': 'Bearer' }).end()
      else response.writeHead(404).end()
    })
    const [first, second] = await Promise.all([examine([silent]), examine([nameless])])
    expect(first.bad).toContainEqual(problem('fail', 'challenge', 'status 401 without WWW-Authenticate'))
    expect(second.bad).toEqual([
      problem('fail', 'resource', '/other, but clients call'),
      problem('fail', 'issuer', 'does not announce PKCE with S256'),
      problem('warn', 'connect', 'the tools were not checked'),
    ])
    expect([first.code, second.code]).toEqual([1, 1])
  })

  it('reports a server that does not run', async () => {
    const url = await serve(() => undefined)
    const server = servers.pop() as Server
    server.close()
    await once(server, 'close')
    const { code, bad } = await examine([url])
    expect(bad).toEqual([problem('fail', 'connect', 'the connection was refused')])
    expect(code).toBe(1)
  })
})
