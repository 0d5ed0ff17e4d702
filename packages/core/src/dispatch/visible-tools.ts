import type { Catalog } from '../catalog/catalog.js'
import type { ToolDefinition } from '../catalog/definitions.js'
import type { Principal } from '../context/principal.js'

/** The tools that a caller may know of. The same array until the catalog changes, for the same caller. */
export function visibleTools({ tools }: Catalog, _principal: Principal | null): readonly ToolDefinition[] {
  return tools.all
}
