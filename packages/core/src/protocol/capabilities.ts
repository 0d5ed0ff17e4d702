import { isVisible } from '../authorization/access-rule.js'
import type { Catalog } from '../catalog/catalog.js'
import type { Principal } from '../context/principal.js'
import type { JsonObject } from '../rpc/messages.js'
import type { Revision } from './revisions.js'

/**
 * Capabilities that the server declares to a caller. Tools are always declared, because they can be added at any time;
 * other features once they exist. Spec: basic/lifecycle, "Capability Negotiation".
 *
 * @param canNotify Whether the server can notify the client of changes. That takes a connection, session or subscription.
 */
export function capabilitiesOf(
  catalog: Catalog,
  principal: Principal | null,
  revision: Revision,
  canNotify: boolean,
): JsonObject {
  const { prompts } = catalog
  const listChanged = canNotify ? { listChanged: true } : {}
  const subscribable = canNotify ? { subscribe: true } : {}
  return {
    tools: listChanged,
    // Any handler may send log messages.
    logging: {},
    ...(prompts.isUsedBy(principal) ? { prompts: listChanged } : {}),
    ...(seesResources(catalog, principal) ? { resources: { ...subscribable, ...listChanged } } : {}),
    // 2024-11-05 has the method, but no capability for it.
    ...(seesCompletions(catalog, principal) && revision.completionsCapability ? { completions: {} } : {}),
  }
}

export function seesResources({ resources, resourceTemplates }: Catalog, principal: Principal | null): boolean {
  return resources.isUsedBy(principal) || resourceTemplates.isUsedBy(principal)
}

/** Whether any completion is visible to a caller: completions are visible with the feature that they complete. */
function seesCompletions(catalog: Catalog, principal: Principal | null): boolean {
  const { prompts, resourceTemplates, completions } = catalog
  return completions.visibleTo(principal).some(({ target }) => {
    const completed = 'prompt' in target ? prompts.get(target.prompt) : resourceTemplates.get(target.resource)
    return completed !== undefined && isVisible(completed, principal)
  })
}
