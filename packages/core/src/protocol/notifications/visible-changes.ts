import { findResource, isEnabled, roleRejection, transportRejection } from '../../call/find-resource.js'
import type { Catalog } from '../../catalog/catalog.js'
import { type Audience, belongsTo } from '../../context/audience.js'
import type { Change } from '../../context/changes.js'
import { isServedOver, type Recipient } from '../../context/viewer.js'
import type { Plans } from '../../plan/plans.js'
import { isJsonObject, type JsonObject, notification } from '../../rpc/messages.js'

export interface Changing {
  readonly catalog: Catalog
  readonly plans: Plans
}

interface Receiver extends Recipient {
  readonly sessionId: string | null
}

/**
 * Whether a client may be notified of a change. A client is only notified of lists that changed for this client, and of resources
 * that the client is allowed to read.
 */
export function isChangeVisibleTo(change: Change, receiver: Receiver, changing: Changing): boolean {
  const { principal, transport, sessionId } = receiver
  if (change.kind === 'notification') {
    const isAddressed = change.sessionId === undefined || change.sessionId === sessionId
    return isAddressed && (change.audience === undefined || belongsTo(change.audience, principal))
  }
  if (change.kind === 'resource') {
    // Both the rule at the time of the change and the current rule apply: either rule can be stricter.
    const mightRead = change.audience === undefined || belongsTo(change.audience, principal)
    return mightRead && isResourceVisibleTo(change.uri, receiver, changing)
  }
  if (change.kind === 'enabled') return false
  if (change.node !== undefined && change.node !== changing.catalog.node) return false
  if (!isServedOver(change.transports ?? null, transport)) return false
  return change.audiences === undefined || change.audiences.some((audience) => belongsTo(audience, principal))
}

/**
 * Whether the caller is allowed to read the resource over the caller's transport. If templates overlap, only the template that
 * serves the URI is checked.
 */
function isResourceVisibleTo(uri: string, { principal, transport }: Recipient, { catalog, plans }: Changing): boolean {
  const { resources, resourceTemplates } = catalog
  const registries = [resources, resourceTemplates]
  if (registries.every(({ isSameForAll, all, enabled }) => isSameForAll && all.length === enabled.length)) return true
  const found = findResource(plans, uri)
  if (found === null) return true
  if (!isEnabled(found, catalog)) return false
  return (roleRejection(found, principal) ?? transportRejection(found, transport)) === null
}

export const changesOfLists: readonly SentChange[] = [{ kind: 'tools' }, { kind: 'prompts' }, { kind: 'resources' }]

export function changesOf(uris: ReadonlySet<string>): readonly SentChange[] {
  return Array.from(uris, (uri) => ({ kind: 'resource', uri }))
}

export function readersOf(uri: string, { catalog, plans }: Changing): Audience | null {
  if (!catalog.resources.isGuarded && !catalog.resourceTemplates.isGuarded) return null
  const found = findResource(plans, uri)
  if (found === null) return null
  const rules = [found, ...found.also].flatMap(({ plan }) => (plan.guard === null ? [] : [plan.guard.rule]))
  if (rules.length === 0) return null
  return {
    roles: rules.flatMap(({ roles }) => roles),
    scopes: rules.flatMap(({ scopes }) => scopes.map(({ grantedBy }) => grantedBy)),
  }
}

export type SentChange = Exclude<Change, { readonly kind: 'enabled' }>

const methods = {
  tools: 'notifications/tools/list_changed',
  prompts: 'notifications/prompts/list_changed',
  resources: 'notifications/resources/list_changed',
  resource: 'notifications/resources/updated',
} as const

function metaIn({ _meta: meta }: JsonObject): JsonObject {
  return isJsonObject(meta) ? meta : {}
}

export function changeNotification(change: SentChange, meta?: JsonObject): string {
  if (change.kind === 'notification') {
    const { method, params } = change
    return notification(method, meta === undefined ? params : { ...params, _meta: { ...metaIn(params), ...meta } })
  }
  const uri = change.kind === 'resource' ? { uri: change.uri } : {}
  return notification(methods[change.kind], { ...uri, ...(meta === undefined ? {} : { _meta: meta }) })
}
