import { AllowAnonymous, type Authenticator, Authorize, McpTool } from '@toolwright/core'
import { mcp } from '@toolwright/fastify'
import { createServer } from '@toolwright/server'
import Fastify, { type FastifyInstance } from 'fastify'
import { closeApps, connectTo, openApp } from '../../../../test/support/client/index.js'

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
    const modern = connectTo(app)
    expect((await modern.call('plain')).status).toBe(401)
    expect((await connectTo(app, { era: 'legacy' }).request('tools/list', {})).json.result.tools).toEqual([])
    expect((await modern.call('plain', {}, { headers: ann })).status).toBe(200)
  })

  it('rejects anonymous callers before it reads their bodies, if no feature allows them', async () => {
    const app = await openApp({ controllers: [Plain], authentication })
    const rejected = await app.inject({ method: 'POST', url: '/mcp', payload: '{', headers: { host: 'localhost' } })
    expect([rejected.statusCode, rejected.headers['www-authenticate']]).toEqual([401, 'Bearer'])
  })

  it('admits anonymous callers by default if a feature allows them', async () => {
    const app = await openApp({ controllers: [Plain, Open], authentication })
    const modern = connectTo(app)
    expect((await modern.call('open')).json.result.content[0].text).toBe('open')
    expect((await modern.call('plain')).status).toBe(401)
    app.mcp.catalog.removeTool('open')
    expect((await connectTo(app, { era: 'legacy' }).request('ping', {})).status).toBe(401)
  })

  it('does not admit anonymous callers if the option forbids it', async () => {
    const client = connectTo(await openApp({ controllers: [Open], authentication, allowAnonymous: false }))
    expect((await client.call('open')).status).toBe(401)
  })

  it('announces exactly the scopes of its rules', async () => {
    const app = await openApp({ controllers: [Scoped], authentication })
    for (const answer of [
      await connectTo(app).call('scoped', {}, { headers: ann }),
      await connectTo(app, { era: 'legacy' }).call('scoped', {}, { headers: ann }),
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
