import type { Catalog } from '../../../catalog/catalog.js'
import type { ResourceDefinition } from '../../../catalog/definitions.js'
import type { FeatureRegistry } from '../../../catalog/feature-registry.js'
import type { JsonObject } from '../../../rpc/messages.js'
import { encodeResource } from '../../encode-definitions.js'
import type { Revision } from '../../revisions.js'
import type { SkillDefinition } from './skill-definition.js'

/**
 * Directories of the skills' files, including parent directories. The directories are derived from URIs, without reading the
 * disk.
 */
export class SkillDirectories {
  #children: ReadonlyMap<string, readonly JsonObject[]> = new Map()
  /** The enabled resources from which {@link #children} was collected. */
  #enabled: readonly ResourceDefinition[] | null = null

  constructor(
    private readonly skills: FeatureRegistry<SkillDefinition>,
    private readonly catalog: Catalog,
    private readonly revision: Revision,
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
    const files = this.skills.all.flatMap((skill) => skill.files)
    for (const { uri } of files) {
      const file = resources.get(uri)
      if (file !== undefined && resources.isEnabled(file)) addChild(folders, uri, encodeResource(file, this.revision))
    }
    return new Map([...folders].map(([uri, children]) => [uri, sortByUri(children)]))
  }
}

/** Adds a child to its directory, and adds this directory to its own parent directory. */
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
