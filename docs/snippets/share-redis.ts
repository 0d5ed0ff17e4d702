// #region share
import { connectRedis } from '@toolwright/redis'
import { createHost, type HostOptions } from 'toolwright'

export async function createNode(url: string, secret: string, options: HostOptions) {
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

export async function createSome(url: string, options: HostOptions) {
  // #region some
  const { stores } = await connectRedis({ url, prefix: 'clock:' })
  const { sessionStore, eventStore } = stores
  const host = await createHost({ ...options, sessionStore, eventStore })
  // #endregion
  return host
}
