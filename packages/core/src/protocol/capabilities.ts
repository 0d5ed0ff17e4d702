import type { Catalog } from '../catalog/catalog.js'
import { maySee } from '../catalog/views.js'
import type { Recipient } from '../context/viewer.js'
import type { JsonObject } from '../rpc/messages.js'
import type { ProtocolDependencies } from './dependencies.js'
import type { Revision } from './revisions.js'

/**
 * Returns the capabilities that the server declares to a caller. Tools are always declared, because tools can be added at any
 * time. Other features are declared as soon as they exist. Spec: basic/lifecycle, "Capability Negotiation".
 *
 * @param canNotify Whether the server can notify the client of changes. Notifications need a connection, session or subscription.
 */
export function capabilitiesOf(
  { catalog, extensions }: Pick<ProtocolDependencies, 'catalog' | 'extensions'>,
  recipient: Recipient,
  revision: Revision,
  canNotify: boolean,
): JsonObject {
  const { prompts } = catalog
  const declared = extensions.declaredTo(recipient, revision)
  const listChanged = canNotify ? { listChanged: true } : {}
  const subscribable = canNotify ? { subscribe: true } : {}
  return {
    tools: listChanged,
    // Any handler can send log messages.
    logging: {},
    ...(prompts.use.isUsedBy(recipient) ? { prompts: listChanged } : {}),
    ...(seesResources(catalog, recipient) ? { resources: { ...subscribable, ...listChanged } } : {}),
    // Revision 2024-11-05 has completions, but no capability for them.
    ...(seesCompletions(catalog, recipient) && revision.completionsCapability ? { completions: {} } : {}),
    // Legacy revisions have no member `extensions`, so extensions are declared under `experimental`.
    ...(Object.keys(declared).length > 0
      ? { [revision.era === 'modern' ? 'extensions' : 'experimental']: declared }
      : {}),
  }
}

export function seesResources({ resources, resourceTemplates }: Catalog, recipient: Recipient): boolean {
  return resources.use.isUsedBy(recipient) || resourceTemplates.use.isUsedBy(recipient)
}

function seesCompletions(catalog: Catalog, recipient: Recipient): boolean {
  const { prompts, resourceTemplates, completions } = catalog
  return completions.possiblyVisibleTo(recipient).some(({ target }) => {
    const completed = 'prompt' in target ? prompts.get(target.prompt) : resourceTemplates.get(target.resource)
    return completed !== undefined && maySee(completed, recipient)
  })
}
