import { Writable } from 'node:stream'
import Fastify, { type FastifyInstance } from 'fastify'
import { Authorize, apiKeys, createHost, type HostOptions, McpTool, mcp } from 'toolwright'

class Tools {
  @McpTool({ description: 'Drop' })
  @Authorize({ roles: ['Admin'] })
  drop(): void {}
}

/** Starts an application, and returns the warnings in its log. */
async function warningsOf(start: (logger: object) => Promise<FastifyInstance>): Promise<readonly unknown[]> {
  const warnings: unknown[] = []
  const stream = new Writable({
    write(line: Buffer, _encoding, done) {
      warnings.push((JSON.parse(String(line)) as { msg: unknown }).msg)
      done()
    },
  })
  const app = await start({ level: 'warn', stream })
  await app.ready()
  await app.close()
  return warnings
}

const served = { name: 'closed', version: '1.0.0', controllers: [Tools] }
const warning =
  'drop: they need an authenticated caller, and there is no authentication. Unless a hook sets request.mcpPrincipal, ' +
  'no caller can use them'

function host(options: Partial<HostOptions> = {}) {
  return (logger: object) => createHost({ ...served, ...options, fastify: { logger } })
}

it('features that require authentication are named in the log of a server without authentication', async () => {
  const plugin = async (logger: object): Promise<FastifyInstance> => {
    const app = Fastify({ logger })
    await app.register(mcp, served)
    return app
  }

  expect(await warningsOf(host())).toEqual([warning])
  expect(await warningsOf(plugin)).toEqual([warning])
})

it('the log has no warning with authentication, or if all features are open', async () => {
  const authentication = apiKeys({ keys: [{ key: 'k'.repeat(32), subject: 'ada' }] })

  expect(await warningsOf(host({ authentication }))).toEqual([])
  expect(await warningsOf(host({ controllers: [] }))).toEqual([])
})
