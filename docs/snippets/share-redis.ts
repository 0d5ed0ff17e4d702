// #region share
import { connectRedis } from '@toolwright/redis'
import { createHost, type HostOptions } from 'toolwright'

export async function createNode(
  url: string,
  secret: string,
  options: HostOptions,
) {
  const redis = await connectRedis({ url, prefix: `${options.name}:` })
  return createHost({
    ...options,
    ...redis.stores,
    requestState: { keys: [secret] },
    health: { checks: { redis: redis.check } },
    onClose: () => redis.close(),
  })
}
// #endregion
