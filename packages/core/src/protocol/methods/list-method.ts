import { ListPages } from '../../call/list-pages.js'
import type { CatalogEntry } from '../../catalog/definitions.js'
import type { FeatureRegistry } from '../../catalog/feature-registry.js'
import { isJsonObject, type JsonObject } from '../../rpc/messages.js'
import { answering, type Method } from '../era.js'
import type { Revision } from '../revisions.js'
import type { ResultWriter } from './result-writer.js'

interface ListedRegistry<Definition extends CatalogEntry> {
  readonly method: string
  readonly member: string
  readonly registry: FeatureRegistry<Definition>
  readonly encode: (definition: Definition, revision: Revision) => JsonObject
}

export function createListMethod<Definition extends CatalogEntry>(
  writer: ResultWriter,
  listed: ListedRegistry<Definition>,
): Method {
  const { dependencies, revision, completeResult, cacheHints, privateHints } = writer
  const { method, member, registry, encode } = listed
  const extend = revision.meta ? dependencies.extensions.extendEntries(member) : null
  const encodeEntry = dependencies.listTags && revision.meta ? withTags : (_: Definition, entry: JsonObject) => entry
  const encodePage = (page: readonly Definition[], nextCursor: string | undefined): string => {
    const encoded = page.map((definition) => encodeEntry(definition, encode(definition, revision)))
    const entries = JSON.stringify(extend === null ? encoded : encoded.map(extend))
    const next = nextCursor === undefined ? '' : `,"nextCursor":${JSON.stringify(nextCursor)}`
    return completeResult(`"${member}":${entries}${next}${registry.dependsOnCaller ? privateHints : cacheHints}`, null)
  }
  /** `nextCursor` of the last page. Clients that send this cursor get an empty page. */
  const endCursor = dependencies.alwaysNextCursor ? '' : undefined
  /** Pages by list. The registry returns the same array until the registry changes, and limits the number of arrays. */
  const lists = new WeakMap<readonly Definition[], ListPages<Definition>>()
  const pagesOf = (definitions: readonly Definition[]): ListPages<Definition> => {
    const known = lists.get(definitions)
    if (known !== undefined) return known
    const pages = new ListPages({
      method,
      pageSize: dependencies.pageSize,
      entries: definitions,
      keyOf: registry.keyOf,
      encode: (page, nextCursor) => Buffer.from(encodePage(page, nextCursor ?? endCursor)),
    })
    lists.set(definitions, pages)
    return pages
  }
  // The first page is serialized in advance, so that the first client does not wait.
  if (registry.isSameForAll) pagesOf(registry.enabled).page(undefined)
  return answering(({ request, context }) => {
    const { cursor } = request.params
    if (cursor !== undefined && cursor === endCursor) return encodePage([], undefined)
    return pagesOf(registry.visibleTo(context)).page(cursor)
  })
}

function withTags({ tags }: CatalogEntry, entry: JsonObject): JsonObject {
  if (tags.length === 0) return entry
  const { _meta: meta } = entry
  return { ...entry, _meta: { 'toolwright/tags': tags, ...(isJsonObject(meta) ? meta : {}) } }
}
