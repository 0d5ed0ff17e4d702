import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { createServer, mcp } from 'toolwright'
import { UserTools } from './authorize-callers.js'
import { NoteTools } from './inject-services.js'
import { ForecastTools } from './validate-arguments.js'

export async function createApplication(): Promise<FastifyInstance> {
  const app = Fastify({ logger: true })
  await app.register(mcp, {
    name: 'weather',
    version: '1.0.0',
    controllers: [ForecastTools],
  })

  app.get('/', () => ({ tools: app.mcp.catalog.tools.all.length }))
  return app
}

export async function createWithPrefix(): Promise<FastifyInstance> {
  const app = Fastify()
  await app.register(mcp, {
    name: 'weather',
    version: '1.0.0',
    controllers: [ForecastTools],
    prefix: '/api',
    path: '/weather',
  })
  return app
}

export async function createTwo(): Promise<FastifyInstance> {
  const app = Fastify()
  // #region two
  await app.register(
    async (scope) =>
      scope.register(mcp, {
        name: 'weather',
        version: '1.0.0',
        controllers: [ForecastTools],
      }),
    { prefix: '/weather' },
  )
  await app.register(
    async (scope) =>
      scope.register(mcp, {
        name: 'notes',
        version: '1.0.0',
        controllers: [NoteTools],
      }),
    { prefix: '/notes' },
  )
  // #endregion
  return app
}

export async function createGuarded(): Promise<FastifyInstance> {
  const app = Fastify()
  // #region hooks
  await app.register(async (scope) => {
    scope.addHook('onRequest', async (request, reply) => {
      if (request.headers['x-api-key'] !== process.env['API_KEY'])
        await reply.code(401).send()
    })
    await scope.register(mcp, {
      name: 'weather',
      version: '1.0.0',
      controllers: [ForecastTools],
    })
  })
  // #endregion
  return app
}

/** Placeholder for the session lookup of an application. */
async function findUser({
  headers,
}: FastifyRequest): Promise<{ id: string; roles: string[] } | null> {
  return headers['x-session'] === 'of-ann'
    ? { id: 'ann', roles: ['Admin'] }
    : null
}

export async function createWithUsers(): Promise<FastifyInstance> {
  const app = Fastify()
  // #region users
  await app.register(async (scope) => {
    scope.addHook('onRequest', async (request) => {
      const user = await findUser(request)
      if (user !== null)
        request.mcpPrincipal = {
          subject: user.id,
          roles: user.roles,
          scopes: [],
          claims: {},
        }
    })
    await scope.register(mcp, {
      name: 'users',
      version: '1.0.0',
      controllers: [UserTools],
    })
  })
  // #endregion
  return app
}

export async function createShared(): Promise<FastifyInstance> {
  const app = Fastify()
  // #region server
  const server = await createServer({
    name: 'weather',
    version: '1.0.0',
    controllers: [ForecastTools],
  })
  await app.register(mcp, { server })
  app.addHook('onClose', () => server.close())
  // #endregion
  return app
}

export function stopOnSignals(app: FastifyInstance): void {
  // #region stop
  for (const signal of ['SIGTERM', 'SIGINT'])
    process.once(signal, () => void app.close())
  // #endregion
}
