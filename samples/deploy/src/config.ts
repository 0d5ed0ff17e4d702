import { loadConfig, Type } from 'toolwright'

/** Everything that differs from one place of deployment to the next. `HOST` and `PORT` are read by `serve`. */
export const config = loadConfig(
  Type.Object({
    ALLOWED_HOSTS: Type.Array(Type.String(), {
      default: ['localhost', '127.0.0.1'],
      description: 'names by which clients reach the server, separated by commas',
    }),
    LOG_LEVEL: Type.Enum(['debug', 'info', 'warn', 'error'], { default: 'info' }),
    MAX_IN_FLIGHT: Type.Integer({ default: 200, minimum: 1 }),
    CALLS_PER_MINUTE: Type.Integer({ default: 600, minimum: 1 }),
    REDIS_URL: Type.Optional(Type.String({ pattern: '^rediss?://', description: 'what the processes share' })),
    SHOP_URL: Type.Optional(Type.String({ pattern: '^https?://', description: 'the shop that has to be there' })),
  }),
)
