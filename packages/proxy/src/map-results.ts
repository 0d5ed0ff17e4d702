import { isJsonObject, type JsonObject } from '@toolwright/core'
import type { UriMap } from './uris.js'

// Maps every URI of an upstream in results and lists. All other members stay as the upstream sent them.

const pageKeys = ['ui/resourceUri', 'openai/outputTemplate'] as const

export function mapMeta(meta: JsonObject, uris: UriMap): JsonObject {
  const { ui } = meta
  const flat = pageKeys.filter((key) => typeof meta[key] === 'string')
  const page = isJsonObject(ui) ? ui['resourceUri'] : undefined
  if (flat.length === 0 && typeof page !== 'string') return meta
  return {
    ...meta,
    ...(typeof page === 'string' ? { ui: { ...(ui as JsonObject), resourceUri: uris.toFront(page) } } : {}),
    ...Object.fromEntries(flat.map((key) => [key, uris.toFront(meta[key] as string)])),
  }
}

export function withMappedMeta(value: JsonObject, uris: UriMap): JsonObject {
  const { _meta: meta } = value
  if (!isJsonObject(meta)) return value
  const mapped = mapMeta(meta, uris)
  return mapped === meta ? value : { ...value, _meta: mapped }
}

export function mapBlock(block: unknown, uris: UriMap): unknown {
  if (!isJsonObject(block)) return block
  const { type, uri, resource } = block
  if (type === 'resource_link' && typeof uri === 'string')
    return withMappedMeta({ ...block, uri: uris.toFront(uri) }, uris)
  if (type === 'resource' && isJsonObject(resource))
    return withMappedMeta({ ...block, resource: mapContents(resource, uris) }, uris)
  return withMappedMeta(block, uris)
}

export function mapContents(contents: JsonObject, uris: UriMap): JsonObject {
  const { uri } = contents
  const mapped = typeof uri === 'string' ? { ...contents, uri: uris.toFront(uri) } : contents
  return withMappedMeta(mapped, uris)
}

export function mapBlocks(content: unknown, uris: UriMap): unknown {
  return Array.isArray(content) ? content.map((block) => mapBlock(block, uris)) : mapBlock(content, uris)
}
