// The public API.
export { connectRedis, type Redis, type RedisOptions, type RedisStores } from './connect-redis.js'
