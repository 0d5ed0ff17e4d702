// The public API.
export { connectRedis, type Redis, type RedisStores } from './connect-redis.js'
export type { RedisClusterServers, RedisOptions, RedisSentinelServers } from './options.js'
