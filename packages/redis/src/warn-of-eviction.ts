import type { Logger } from './outage-log.js'
import type { Subscriptions } from './subscriptions.js'

/**
 * Tells of a Redis that throws away what is in use when its memory is full, as many that are rented do by default: who runs
 * it would else hear of that from clients that lost their sessions. A user who may not ask is no reason not to start.
 */
export async function warnOfEviction(subscriptions: Subscriptions, log: Logger): Promise<void> {
  const info = await subscriptions.atNode((client) => client.info('memory')).catch(() => '')
  const policy = read(info, 'maxmemory_policy') ?? 'noeviction'
  const isBounded = (read(info, 'maxmemory') ?? '0') !== '0'
  if (policy === 'noeviction' || !isBounded) return
  log.warn({ policy }, 'Redis may throw away sessions, events and tasks in use: set its maxmemory-policy to noeviction')
}

function read(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(\\S+)`, 'm').exec(info)?.[1]
}
