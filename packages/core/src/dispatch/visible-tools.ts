import type { Catalog } from '../catalog/catalog.js'
import type { ToolDefinition } from '../catalog/definitions.js'
import type { Principal } from '../context/principal.js'

/** The tools that a caller may know of. The same array until the catalog changes, for all who see the same. */
export function visibleTools({ tools }: Catalog, principal: Principal | null): readonly ToolDefinition[] {
  return tools.visibleTo(principal)
}
