import { AllowAnonymous, type Authenticator, Authorize, createServer, McpTool } from '@toolwright/core'
import { mcp } from '@toolwright/fastify'
import Fastify, { type FastifyInstance } from 'fastify'
import { call, closeApps, legacy, modern, openApp, post, postModern } from '../support/wire.js'

afterEach(closeApps)

/** Treats the token as the name of the caller. */
const authentication: Authenticator = {
  authenticate: ({ headers: { authorization } }) =>
    authorization === undefined
      ? null
      : { subject: String(authorization).replace('Bearer ', ''), roles: [], scopes: [], claims: {} },
}

class Plain {
  @McpTool()
  plain(): string {
    return 'plain'
  }
}

class Open {
  @McpTool()
  @AllowAnonymous()
  open(): string {
    return 'open'
  }
}

class Scoped {
  @McpTool()
  @Authorize({ scopes: ['files:write', 'files:read'] })
  scoped(): string {
    return 'scoped'
  }
}

const ann = { authorization: 'Bearer ann' }

describe('a host with authentication', () => {
  it('denies anonymous callers by default, even if the transport admits them', async () => {
    const app = await openApp({ controllers: [Plain], authentication, allowAnonymous: true })
    expect((await postModern(app, modern('tools/call', call('plain')))).status).toBe(401)
    expect((await post(app, legacy('tools/list', {}))).json.result.tools).toEqual([])
    expect((await postModern(app, modern('tools/call', call('plain')), ann)).status).toBe(200)
  })

  it('rejects anonymous callers before it reads their bodies, if no feature allows them', async () => {
    const app = await openApp({ controllers: [Plain], authentication })
    const rejected = await app.inject({ method: 'POST', url: '/mcp', payload: '{', headers: { host: 'localhost' } })
    expect([rejected.statusCode, rejected.headers['www-authenticate']]).toEqual([401, 'Bearer'])
  })

  it('admits anonymous callers by default if a feature allows them', async () => {
    const app = await openApp({ controllers: [Plain, Open], authentication })
    expect((await postModern(app, modern('tools/call', call('open')))).json.result.content[0].text).toBe('open')
    expect((await postModern(app, modern('tools/call', call('plain')))).status).toBe(401)
    app.mcp.catalog.removeTool('open')
    expect((await post(app, legacy('ping', {}))).status).toBe(401)
  })

  it('does not admit anonymous callers if the option forbids it', async () => {
    const app = await openApp({ controllers: [Open], authentication, allowAnonymous: false })
    expect((await postModern(app, modern('tools/call', call('open')))).status).toBe(401)
  })

  it('announces exactly the scopes of its rules', async () => {
    const app = await openApp({ controllers: [Scoped], authentication })
    for (const answer of [
      await postModern(app, modern('tools/call', call('scoped')), ann),
      await post(app, legacy('tools/call', call('scoped')), ann),
    ]) {
      expect([answer.status, answer.headers['www-authenticate']]).toEqual([
        403,
        'Bearer error="insufficient_scope", scope="files:write files:read"',
      ])
    }
  })

  it('rejects anonymous callers for a server that was created without authorization options', async () => {
    const server = await createServer({ name: 'test', version: '1', controllers: [Plain] })
    const app: FastifyInstance = Fastify()
    await app.register(mcp, { server, authentication })
    const { statusCode } = await app.inject({
      method: 'POST',
      url: '/mcp',
      payload: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      headers: { host: 'localhost' },
    })
    expect(statusCode).toBe(401)
    await app.close()
    await server.close()
  })
})
