// The public API.
export {
  connectRedis,
  type Redis,
  type RedisClusterServers,
  type RedisOptions,
  type RedisSentinelServers,
  type RedisStores,
} from './connect-redis.js'
