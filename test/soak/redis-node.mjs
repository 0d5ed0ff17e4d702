// One of several nodes that share a Redis: prints the URL of its endpoint. `REDIS` has the options of connectRedis as JSON.
import { connectRedis } from '@toolwright/redis'
import { createHost } from 'toolwright'

const redis = await connectRedis(JSON.parse(process.env.REDIS))
const host = await createHost({
  name: 'soak',
  version: '1.0.0',
  controllers: [],
  ...redis.stores,
  fastify: { logger: false },
  onClose: () => redis.close(),
})
host.mcp.catalog.addTool({
  name: 'counts',
  handler: async (_args, context) => {
    for (const count of [1, 2, 3]) {
      context.progress(count)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    return 'done'
  },
})
process.send(`${await host.listen({ port: 0, host: '127.0.0.1' })}/mcp`)
process.once('disconnect', () => process.exit())
