import { BootError, type Catalog, type CatalogReplacement } from '@toolwright/core'
import type { BuiltFeatures, Feature, LeftOut } from './build-features.js'

/** Number of features that one turn of the event loop adds. */
const sliceSize = 100

export class CatalogSection {
  #features = new Map<string, Feature>()
  #leftOut: readonly LeftOut[] = []

  constructor(private readonly catalog: Catalog) {}

  get features(): readonly Feature[] {
    return [...this.#features.values()]
  }

  get leftOut(): readonly LeftOut[] {
    return this.#leftOut
  }

  /** Replaces the features that have changed. Features that this server cannot list are left out. */
  async replace({ features, leftOut }: BuiltFeatures): Promise<void> {
    const wanted = new Map(features.map((feature) => [idOf(feature), feature]))
    const left = [...leftOut]
    const isSame = (id: string, { listed }: Feature): boolean => this.#features.get(id)?.listed === listed
    const added = [...wanted].filter(([id, feature]) => !isSame(id, feature)).map(([, feature]) => feature)
    const removed = [...this.#features].filter(([id]) => !wanted.has(id)).map(([, feature]) => feature)
    if (removed.length > 0) this.#remove(removed)
    for (let start = 0; start < added.length; start += sliceSize) {
      // oxlint-disable-next-line no-await-in-loop -- other requests are served between two slices
      if (start > 0) await new Promise(setImmediate)
      this.#add(added.slice(start, start + sliceSize), left)
    }
    this.#leftOut = left
  }

  #remove(features: readonly Feature[]): void {
    this.catalog.replace({ remove: removalOf(features) })
    for (const feature of features) this.#features.delete(idOf(feature))
  }

  #add(features: readonly Feature[], left: LeftOut[]): void {
    const free = features.filter((feature) => {
      if (this.#features.has(idOf(feature)) || !isTaken(this.catalog, feature)) return true
      left.push({ origin: feature.origin, reason: `${feature.kind} '${feature.key}' is already served` })
      return false
    })
    try {
      this.#put(free)
    } catch (error) {
      if (!(error instanceof BootError)) throw error
      for (const feature of free) this.#addOne(feature, left)
    }
  }

  #addOne(feature: Feature, left: LeftOut[]): void {
    try {
      this.#put([feature])
    } catch (error) {
      if (!(error instanceof BootError)) throw error
      if (this.#features.has(idOf(feature))) this.#remove([feature])
      left.push({ origin: feature.origin, reason: error.diagnostics.map(({ message }) => message).join(' ') })
    }
  }

  #put(features: readonly Feature[]): void {
    const known = features.filter((feature) => this.#features.has(idOf(feature)))
    this.catalog.replace({ remove: removalOf(known), add: additionOf(features) })
    for (const feature of features) this.#features.set(idOf(feature), feature)
  }
}

function idOf({ kind, key }: Feature): string {
  return `${kind} ${key}`
}

function isTaken({ tools, prompts, resources, resourceTemplates }: Catalog, { kind, key }: Feature): boolean {
  if (kind === 'tool') return tools.get(key) !== undefined
  if (kind === 'prompt') return prompts.get(key) !== undefined
  return resources.get(key) !== undefined || resourceTemplates.get(key) !== undefined
}

function removalOf(features: readonly Feature[]): NonNullable<CatalogReplacement['remove']> {
  const keysOf = (kind: Feature['kind']): string[] =>
    features.filter((feature) => feature.kind === kind).map(({ key }) => key)
  return { tools: keysOf('tool'), prompts: keysOf('prompt'), resources: keysOf('resource') }
}

function additionOf(features: readonly Feature[]): NonNullable<CatalogReplacement['add']> {
  return {
    tools: features.flatMap((feature) => (feature.kind === 'tool' ? [feature.added] : [])),
    prompts: features.flatMap((feature) => (feature.kind === 'prompt' ? [feature.added] : [])),
    resources: features.flatMap((feature) => (feature.kind === 'resource' ? [feature.added] : [])),
    completions: features.flatMap((feature) => (feature.kind === 'tool' ? [] : feature.completions)),
  }
}
