// A node in a separate process, so that a test can kill or stop it. Sends its port, and then each effect of its tools, to the test.
import { connectRedis } from '@toolwright/redis'
import { pino } from 'pino'
import { createHost } from 'toolwright'
import { addShop } from './shop.mjs'

process.once('disconnect', () => process.exit())

const { url, prefix, key, nodeTimeoutMs } = JSON.parse(process.argv[2])
const redis = await connectRedis({ url, prefix, logger: pino({ level: 'silent' }) })
const app = await createHost({
  name: 'shop',
  version: '1.0.0',
  controllers: [],
  ...redis.stores,
  requestState: { keys: [key] },
  limits: { nodeTimeoutMs },
  fastify: { logger: false },
  onReady: ({ catalog }) => addShop(catalog, (effect) => process.send(effect)),
  onClose: () => redis.close(),
})
await app.listen({ host: '127.0.0.1', port: 0 })
process.send({ port: app.server.address().port })
