import { serve } from 'toolwright'
import { config } from './config.js'
import { checkShop } from './shop.js'

await serve({
  name: 'deploy',
  version: '1.0.0',
  title: 'Orders',
  scan: new URL('./tools/', import.meta.url),
  allowedHosts: config.ALLOWED_HOSTS,
  limits: { maxInFlight: config.MAX_IN_FLIGHT },
  rateLimit: { calls: config.CALLS_PER_MINUTE, windowMs: 60_000 },
  health: { checks: { shop: checkShop } },
  drainTimeoutMs: 15_000,
  // The proxy is on a private network: the address of a client is the one that it says.
  fastify: { trustProxy: ['loopback', 'uniquelocal'], logger: { level: config.LOG_LEVEL } },
})
