import type { Catalog } from '../catalog/catalog.js'
import type { JsonObject } from '../rpc/messages.js'
import type { Revision } from './revisions.js'

/**
 * What is declared as served. Tools always are, since some can be added at any time; the rest once there is something.
 * Spec: basic/lifecycle, "Capability Negotiation".
 */
export function capabilitiesOf(
  { prompts, resources, resourceTemplates, completions }: Catalog,
  revision: Revision,
): JsonObject {
  return {
    tools: {},
    // Any handler may send a log message.
    logging: {},
    ...(prompts.isUsed ? { prompts: {} } : {}),
    ...(resources.isUsed || resourceTemplates.isUsed ? { resources: {} } : {}),
    // 2024-11-05 has the method, but no capability for it.
    ...(completions.isUsed && revision.annotations ? { completions: {} } : {}),
  }
}
