import { loadConfig, serve, Type } from 'toolwright'
import { ForecastTools } from './validate-arguments.js'

const config = loadConfig(
  Type.Object({
    DATABASE_URL: Type.String({
      description: 'URL of the database',
      pattern: '^postgres://',
    }),
    ALLOWED_HOSTS: Type.Array(Type.String(), {
      default: ['localhost', '127.0.0.1'],
    }),
    POOL_SIZE: Type.Integer({ default: 10, minimum: 1 }),
    VERBOSE: Type.Boolean({ default: false }),
  }),
)
await serve({
  name: 'weather',
  version: '1.0.0',
  controllers: [ForecastTools],
  allowedHosts: config.ALLOWED_HOSTS,
  fastify: { logger: { level: config.VERBOSE ? 'debug' : 'info' } },
})
