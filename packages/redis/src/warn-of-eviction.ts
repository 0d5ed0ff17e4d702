import { tryLog } from '@toolwright/core/host'
import type { Logger } from './outage-log.js'
import type { Subscriptions } from './subscriptions.js'

/**
 * Warns if Redis may evict keys in use when its memory is full, which is the default of many hosted plans. Without the
 * warning, the operator would only see that clients lose their sessions. The check is skipped if the user may not run
 * INFO.
 */
export async function warnOfEviction(subscriptions: Subscriptions, log: Logger): Promise<void> {
  const info = await subscriptions.atNode((client) => client.info('memory')).catch(() => '')
  const policy = read(info, 'maxmemory_policy') ?? 'noeviction'
  const isBounded = (read(info, 'maxmemory') ?? '0') !== '0'
  if (policy === 'noeviction' || !isBounded) return
  tryLog(() =>
    log.warn({ policy }, 'Redis may evict sessions, events and tasks in use: set its maxmemory-policy to noeviction'),
  )
}

function read(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(\\S+)`, 'm').exec(info)?.[1]
}
