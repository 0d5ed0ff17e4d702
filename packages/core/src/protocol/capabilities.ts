import type { Catalog } from '../catalog/catalog.js'
import type { JsonObject } from '../rpc/messages.js'
import type { Revision } from './revisions.js'

/**
 * What is declared as served. Tools always are, since some can be added at any time; the rest once there is something.
 * Spec: basic/lifecycle, "Capability Negotiation".
 *
 * @param canTell Whether the client can be told of changes: not without a connection, session or subscription.
 */
export function capabilitiesOf(catalog: Catalog, revision: Revision, canTell: boolean): JsonObject {
  const { prompts, resources, resourceTemplates, completions } = catalog
  const listChanged = canTell ? { listChanged: true } : {}
  const subscribable = canTell ? { subscribe: true } : {}
  return {
    tools: listChanged,
    // Any handler may send a log message.
    logging: {},
    ...(prompts.isUsed ? { prompts: listChanged } : {}),
    ...(resources.isUsed || resourceTemplates.isUsed ? { resources: { ...subscribable, ...listChanged } } : {}),
    // 2024-11-05 has the method, but no capability for it.
    ...(completions.isUsed && revision.annotations ? { completions: {} } : {}),
  }
}
