import type { FastifyInstance } from 'fastify'
import { createHost } from 'toolwright'

const served = { name: 'paths', version: '1.0.0', controllers: [], fastify: { logger: false } }
const open: FastifyInstance[] = []

async function host(): Promise<FastifyInstance> {
  const app = await createHost(served)
  open.push(app)
  return app
}

afterEach(() => Promise.all(open.splice(0).map((app) => app.close())))

it('unknown paths get the 404 of Fastify, without their queries', async () => {
  const app = await host()
  app.get('/known', () => 'known')

  const unknown = await app.inject({ method: 'POST', url: '/sse?token=secret', payload: { a: 1 } })
  const known = await app.inject('/known?token=secret')

  expect(unknown.json()).toEqual({ message: 'Route POST:/sse not found', error: 'Not Found', statusCode: 404 })
  expect(unknown.statusCode).toBe(404)
  expect(known.body).toBe('known')
})

it('long unknown paths are truncated in the response', async () => {
  const app = await host()

  const { statusCode, body } = await app.inject(`/${'x'.repeat(15_000)}`)

  expect(statusCode).toBe(404)
  expect(body.length).toBeLessThan(4096)
})

it("unknown paths are handled by the application's own handler, for all of them or below a prefix", async () => {
  const app = await host()
  const seen: string[] = []
  app.addHook('preHandler', async ({ url }) => void seen.push(url))
  app.setNotFoundHandler((_request, reply) => reply.code(404).send('nothing here'))
  await app.register(
    async (scope) => scope.setNotFoundHandler((_request, reply) => reply.code(410).send('nothing there')),
    { prefix: '/old' },
  )

  expect((await app.inject('/sse')).body).toBe('nothing here')
  expect((await app.inject('/old/sse')).body).toBe('nothing there')
  expect(seen).toEqual(['/sse', '/old/sse'])
})
