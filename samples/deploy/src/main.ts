import { connectRedis } from '@toolwright/redis'
import { serve } from 'toolwright'
import { config } from './config.js'
import { checkShop } from './shop.js'

/**
 * Stores that the processes share. `null`: each process has its own sessions,
 * and counts calls for itself.
 */
const redis =
  config.REDIS_URL === undefined
    ? null
    : await connectRedis({ url: config.REDIS_URL, prefix: 'orders:' })

await serve({
  name: 'deploy',
  version: '1.0.0',
  title: 'Orders',
  scan: new URL('./tools/', import.meta.url),
  allowedHosts: config.ALLOWED_HOSTS,
  // Orders are small. With the default of 4 MiB, some fifty clients could fill
  // the memory that compose.yaml gives a process.
  limits: { maxInFlight: config.MAX_IN_FLIGHT, maxMessageBytes: 64 * 1024 },
  rateLimit: { calls: config.CALLS_PER_MINUTE, windowMs: 60_000 },
  ...redis?.stores,
  health: {
    checks: {
      shop: checkShop,
      ...(redis === null ? {} : { redis: redis.check }),
    },
  },
  onClose: () => redis?.close(),
  drainTimeoutMs: 15_000,
  // The proxy is on a private network, so that its forwarded client address can
  // be trusted.
  fastify: {
    trustProxy: ['loopback', 'uniquelocal'],
    logger: { level: config.LOG_LEVEL },
  },
})
