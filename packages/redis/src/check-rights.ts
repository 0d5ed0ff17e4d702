import type { Keys } from './keys.js'
import { Script } from './script.js'
import type { StoreConnection } from './store-connection.js'
import type { Subscriptions } from './subscriptions.js'

const tryCommands = new Script(`
local key, channel = KEYS[1], ARGV[1]
local commands = {
  { 'TIME' }, { 'SET', key, '1', 'PX', '1000' }, { 'GET', key }, { 'INCR', key }, { 'EXISTS', key }, { 'PTTL', key },
  { 'PEXPIRE', key, '1000' }, { 'HSET', key, 'a', '1' }, { 'HGET', key, 'a' }, { 'HEXISTS', key, 'a' }, { 'HDEL', key, 'a' },
  { 'HINCRBY', key, 'a', '1' }, { 'HKEYS', key }, { 'ZADD', key, '1', 'a' }, { 'ZCARD', key }, { 'ZCOUNT', key, '0', '0' }, { 'ZSCORE', key, 'a' },
  { 'ZINCRBY', key, '1', 'a' }, { 'ZRANGE', key, '0', '0' }, { 'ZRANGEBYSCORE', key, '0', '0' }, { 'ZREM', key, 'a' },
  { 'ZREMRANGEBYSCORE', key, '0', '0' }, { 'UNLINK', key }, { 'RPUSH', key, 'a' }, { 'LLEN', key }, { 'LINDEX', key, '0' }, { 'LPOP', key },
  { 'PUBLISH', channel, '' }, { 'DEL', key },
}
local rejected = {}
for _, command in ipairs(commands) do
  local answer = redis.pcall(unpack(command))
  local fault = type(answer) == 'table' and answer.err or ''
  -- Other errors are expected: most commands find a key of another type, and some find no memory.
  if string.find(fault, "can't") or string.find(fault, 'ACL failure') then rejected[#rejected + 1] = command[1] end
end
return rejected`)

interface Checked {
  readonly connection: StoreConnection
  readonly subscriptions: Subscriptions
  readonly keys: Keys
  readonly isCluster: boolean
}

/**
 * Number of keys that are tried in a cluster, to reach each of its nodes. With hundreds of nodes, some nodes are not
 * reached.
 */
const triedInCluster = 32

/**
 * @throws Error if Redis or its user may not run all commands of the stores. Without this check, a rejected command
 * would fail much later.
 */
export async function checkRights({ connection, subscriptions, keys, isCluster }: Checked): Promise<void> {
  if (!isCluster) await rejectCluster(subscriptions)
  const channel = keys.of('nothing')
  const tags = isCluster ? Array.from({ length: triedInCluster }, (_none, index) => `nothing${index}`) : ['nothing']
  const answers = await Promise.all(
    tags.map((tag) => connection.script(tryCommands, [keys.in(tag, 'a'), keys.in(tag, 'b')], [channel])),
  )
  const rejected = new Set(answers.flatMap((answer) => answer as readonly string[]))
  if (rejected.size > 0) {
    throw new Error(
      `its user may not run ${[...rejected].join(', ')} with keys and channels that begin with '${keys.of()}'`,
    )
  }
  await subscriptions.tryOut(channel)
}

/**
 * Rejects a node of a cluster: a single connection would fail for most keys. The check is skipped if the user may not
 * run INFO.
 */
async function rejectCluster(subscriptions: Subscriptions): Promise<void> {
  const info = await subscriptions.atNode((client) => client.info('cluster')).catch(() => '')
  if (/^cluster_enabled:1/m.test(info)) throw new Error('it is a node of a cluster')
}
