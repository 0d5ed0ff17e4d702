import type { Catalog } from '../catalog/catalog.js'
import { isVisibleTo } from '../catalog/views.js'
import type { Viewer } from '../context/viewer.js'
import type { JsonObject } from '../rpc/messages.js'
import type { ProtocolDependencies } from './dependencies.js'
import type { Revision } from './revisions.js'

/**
 * Capabilities that the server declares to a caller. Tools are always declared, because they can be added at any time;
 * other features as soon as they exist. Spec: basic/lifecycle, "Capability Negotiation".
 *
 * @param canNotify Whether the server can notify the client of changes. That takes a connection, session or subscription.
 */
export function capabilitiesOf(
  { catalog, extensions }: Pick<ProtocolDependencies, 'catalog' | 'extensions'>,
  viewer: Viewer,
  revision: Revision,
  canNotify: boolean,
): JsonObject {
  const { prompts } = catalog
  const declared = extensions.declaredTo(viewer, revision)
  const listChanged = canNotify ? { listChanged: true } : {}
  const subscribable = canNotify ? { subscribe: true } : {}
  return {
    tools: listChanged,
    // Any handler may send log messages.
    logging: {},
    ...(prompts.isUsedBy(viewer) ? { prompts: listChanged } : {}),
    ...(seesResources(catalog, viewer) ? { resources: { ...subscribable, ...listChanged } } : {}),
    // 2024-11-05 has the method, but no capability for it.
    ...(seesCompletions(catalog, viewer) && revision.completionsCapability ? { completions: {} } : {}),
    // Legacy revisions have no member for extensions.
    ...(Object.keys(declared).length > 0
      ? { [revision.era === 'modern' ? 'extensions' : 'experimental']: declared }
      : {}),
  }
}

export function seesResources({ resources, resourceTemplates }: Catalog, viewer: Viewer): boolean {
  return resources.isUsedBy(viewer) || resourceTemplates.isUsedBy(viewer)
}

/** Whether any completion is visible to a caller: completions are visible with the feature that they complete. */
function seesCompletions(catalog: Catalog, viewer: Viewer): boolean {
  const { prompts, resourceTemplates, completions } = catalog
  return completions.visibleTo(viewer).some(({ target }) => {
    const completed = 'prompt' in target ? prompts.get(target.prompt) : resourceTemplates.get(target.resource)
    return completed !== undefined && isVisibleTo(completed, viewer)
  })
}
