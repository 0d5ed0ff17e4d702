import { findResource, roleRefusal } from '../call/find-resource.js'
import type { Catalog } from '../catalog/catalog.js'
import { type Audience, belongsTo } from '../context/audience.js'
import type { Change } from '../context/changes.js'
import type { Principal } from '../context/principal.js'
import type { Plans } from '../plan/plans.js'
import { type JsonObject, notification } from '../rpc/messages.js'

/** What changes can be of. */
export interface Changing {
  readonly catalog: Catalog
  readonly plans: Plans
}

/** Whether a client may know of a change: not of lists in which it sees no difference, nor of what it may not read. */
export function mayHear(change: Change, principal: Principal | null, changing: Changing): boolean {
  if (change.kind === 'resource') {
    // The rule when it changed, and the rule now: either may be the stricter one.
    const mightRead = change.audience === undefined || belongsTo(change.audience, principal)
    return mightRead && mayHearOf(change.uri, principal, changing)
  }
  return change.audiences === undefined || change.audiences.some((audience) => belongsTo(audience, principal))
}

/** By the rule of whatever would be read: of templates that overlap, only one serves a URI. */
function mayHearOf(uri: string, principal: Principal | null, { catalog, plans }: Changing): boolean {
  if (!catalog.resources.isGuarded && !catalog.resourceTemplates.isGuarded) return true
  const found = findResource(plans, uri)
  return found === null || roleRefusal(found, principal) === null
}

/** What is told where changes of lists may have been missed. */
export const changesOfLists: readonly Change[] = [{ kind: 'tools' }, { kind: 'prompts' }, { kind: 'resources' }]

/** What is told where changes of these resources may have been missed: they may be others now. */
export function changesOf(uris: ReadonlySet<string>): readonly Change[] {
  return Array.from(uris, (uri) => ({ kind: 'resource', uri }))
}

/** Who may read a resource; `null`: everybody. */
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
