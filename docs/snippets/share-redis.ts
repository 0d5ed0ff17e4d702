import { createHost, McpTool } from 'toolwright'

export class ClockTools {
  @McpTool({ description: 'The time' })
  now(): string {
    return new Date().toISOString()
  }
}

// #region share
import { connectRedis } from '@toolwright/redis'

export async function createNode(url: string) {
  const redis = await connectRedis({ url, prefix: 'clock:' })
  const host = await createHost({
    name: 'clock',
    version: '1.0.0',
    controllers: [ClockTools],
    ...redis.stores,
    health: { checks: { redis: redis.check } },
  })
  host.addHook('onClose', () => redis.close())
  return host
}
// #endregion
