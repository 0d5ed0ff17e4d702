// #region share
import { connectRedis } from '@toolwright/redis'
import { createHost, type HostOptions } from 'toolwright'

export async function createNode(url: string, secret: string, options: HostOptions) {
  const redis = await connectRedis({ url, prefix: `${options.name}:`, limits: options.limits })
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
  const { stores } = await connectRedis({ url, prefix: 'clock:', limits: { maxSessions: 50_000 } })
  const { sessionStore, eventStore } = stores
  const host = await createHost({ ...options, sessionStore, eventStore })
  // #endregion
  return host
}
