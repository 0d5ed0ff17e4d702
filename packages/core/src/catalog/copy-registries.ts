import type { CatalogEntry } from './definitions.js'
import { addTo, type FeatureRegistries, type FeatureRegistry, removeFrom } from './feature-registry.js'

/** @returns A function that restores the features of this moment. */
export function copyRegistries(registries: FeatureRegistries): () => void {
  const { tools, prompts, resources, resourceTemplates, completions } = registries
  const copies = [copyOf(tools), copyOf(prompts), copyOf(resources), copyOf(resourceTemplates), copyOf(completions)]
  return () => {
    for (const restore of copies) restore()
  }
}

function copyOf<Definition extends CatalogEntry>(registry: FeatureRegistry<Definition>): () => void {
  const before = new Map(registry.entries())
  return () => {
    for (const [key, definition] of registry.entries()) if (before.get(key) !== definition) removeFrom(registry, key)
    for (const [key, definition] of before) if (registry.get(key) === undefined) addTo(registry, definition)
  }
}
