import { loadConfig, Type } from 'toolwright'

/**
 * Settings that differ between deployments. `serve` reads `HOST` and `PORT`.
 */
export const config = loadConfig(
  Type.Object({
    ALLOWED_HOSTS: Type.Array(Type.String(), {
      default: ['localhost', '127.0.0.1'],
      description: 'host names that clients use, separated by commas',
    }),
    LOG_LEVEL: Type.Enum(['debug', 'info', 'warn', 'error'], {
      default: 'info',
    }),
    MAX_IN_FLIGHT: Type.Integer({ default: 200, minimum: 1 }),
    CALLS_PER_MINUTE: Type.Integer({ default: 600, minimum: 1 }),
    REDIS_URL: Type.Optional(
      Type.String({
        pattern: '^rediss?://',
        description: 'a Redis that the processes share',
      }),
    ),
    SHOP_URL: Type.Optional(
      Type.String({
        pattern: '^https?://',
        description: 'a shop that must be available',
      }),
    ),
  }),
)
