import type { Change } from '../context/changes.js'
import type { JsonObject } from '../rpc/messages.js'
import { notification } from '../rpc/respond.js'

const methods = {
  tools: 'notifications/tools/list_changed',
  prompts: 'notifications/prompts/list_changed',
  resources: 'notifications/resources/list_changed',
  resource: 'notifications/resources/updated',
} as const

/** The notification that tells of a change. @param meta What the era adds to its `_meta`. */
export function changeNotification(change: Change, meta?: JsonObject): string {
  const uri = change.kind === 'resource' ? { uri: change.uri } : {}
  return notification(methods[change.kind], { ...uri, ...(meta === undefined ? {} : { _meta: meta }) })
}
