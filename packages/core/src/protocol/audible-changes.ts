import { isAdmitted } from '../authorization/access-rule.js'
import type { Catalog } from '../catalog/catalog.js'
import { belongsTo } from '../context/audience.js'
import type { Change } from '../context/changes.js'
import type { Principal } from '../context/principal.js'

/** Whether a client may know of a change: not of lists in which it sees no difference, nor of what it may not read. */
export function mayHear(change: Change, principal: Principal | null, catalog: Catalog): boolean {
  if (change.kind === 'resource') return mayHearOf(change.uri, principal, catalog)
  return change.audiences === undefined || change.audiences.some((audience) => belongsTo(audience, principal))
}

function mayHearOf(uri: string, principal: Principal | null, { resources, resourceTemplates }: Catalog): boolean {
  if (!resources.isGuarded && !resourceTemplates.isGuarded) return true
  const resource = resources.get(uri) ?? resourceTemplates.all.find(({ template }) => template.match(uri) !== null)
  return resource === undefined || isAdmitted(resource, principal)
}
