import type { Catalog, JsonObject } from '@toolwright/core'
import { listResource } from '@toolwright/core/extension'
import type { SkillDefinition } from './skill-definition.js'

/**
 * Directories of the skills' files, including parent directories. The directories are derived from URIs, without reading the
 * disk.
 */
export class SkillDirectories {
  #children: ReadonlyMap<string, readonly JsonObject[]> = new Map()
  /** The enabled resources from which {@link #children} was collected. */
  #enabled: Catalog['resources']['enabled'] | null = null

  constructor(
    private readonly skills: readonly SkillDefinition[],
    private readonly catalog: Catalog,
  ) {}

  /** Returns the direct children, sorted by URI; `undefined` if the URI is not a directory. */
  childrenOf(uri: string): readonly JsonObject[] | undefined {
    const { enabled } = this.catalog.resources
    if (enabled !== this.#enabled) {
      this.#children = this.#collect()
      this.#enabled = enabled
    }
    return this.#children.get(uri)
  }

  #collect(): ReadonlyMap<string, readonly JsonObject[]> {
    const folders = new Map<string, Map<string, JsonObject>>()
    const { resources } = this.catalog
    const files = this.skills.flatMap((skill) => skill.resources)
    for (const { uri } of files) {
      const file = resources.get(uri)
      if (file !== undefined && resources.isEnabled(file)) addChild(folders, uri, listResource(file))
    }
    return new Map([...folders].map(([uri, children]) => [uri, sortByUri(children)]))
  }
}

function addChild(folders: Map<string, Map<string, JsonObject>>, uri: string, child: JsonObject): void {
  const parent = uri.slice(0, uri.lastIndexOf('/'))
  // Stop at `skill:/`: it is the start of every URI, not a directory.
  if (!parent.includes('://')) return
  const siblings = folders.get(parent)
  if (siblings !== undefined) siblings.set(uri, child)
  else {
    folders.set(parent, new Map([[uri, child]]))
    const name = decodeURIComponent(parent.slice(parent.lastIndexOf('/') + 1))
    addChild(folders, parent, { uri: parent, name, mimeType: 'inode/directory' })
  }
}

function sortByUri(children: ReadonlyMap<string, JsonObject>): readonly JsonObject[] {
  return [...children].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, child]) => child)
}
