import { ListPages } from '../../call/list-pages.js'
import type { Offered } from '../../catalog/definitions.js'
import type { FeatureRegistry } from '../../catalog/feature-registry.js'
import type { Viewer } from '../../context/viewer.js'
import type { JsonObject } from '../../rpc/messages.js'
import { answering, type Method } from '../era.js'
import type { Revision } from '../revisions.js'
import type { ResultWriter } from './result-writer.js'

interface ListedRegistry<Definition extends Offered> {
  /** Method name, such as `tools/list`. */
  readonly method: string
  /** Member of the result that has the entries. */
  readonly member: string
  readonly registry: FeatureRegistry<Definition>
  readonly encode: (definition: Definition, revision: Revision) => JsonObject
}

/**
 * Creates a list method. Its pages are serialized at start and after each change. If callers see different entries,
 * pages are serialized once for all callers that see the same.
 */
export function createListMethod<Definition extends Offered>(
  writer: ResultWriter,
  listed: ListedRegistry<Definition>,
): Method {
  const { dependencies, revision, completeResult, cacheHints, privateHints } = writer
  const { method, member, registry, encode } = listed
  const extend = revision.meta ? dependencies.extensions.extendEntries(member) : null
  const encodePage = (page: readonly Definition[], nextCursor: string | undefined): string => {
    const encoded = page.map((definition) => encode(definition, revision))
    const entries = JSON.stringify(extend === null ? encoded : encoded.map(extend))
    const next = nextCursor === undefined ? '' : `,"nextCursor":${JSON.stringify(nextCursor)}`
    return completeResult(`"${member}":${entries}${next}${registry.isGuarded ? privateHints : cacheHints}`, null)
  }
  /** `nextCursor` of the last page. Clients that request it get an empty page. */
  const endCursor = dependencies.alwaysNextCursor ? '' : undefined
  const createPages = (definitions: () => readonly Definition[]): ListPages<Definition> =>
    new ListPages({
      method,
      pageSize: dependencies.pageSize,
      entries: definitions,
      keyOf: registry.keyOf,
      encode: (page, nextCursor) => encodePage(page, nextCursor ?? endCursor),
    })
  const pages = createPages(() => registry.all)
  /** Pages of callers that see different entries. The registry caches the arrays, and limits their number. */
  const views = new WeakMap<readonly Definition[], ListPages<Definition>>()
  const pagesFor = (viewer: Viewer): ListPages<Definition> => {
    const visible = registry.visibleTo(viewer)
    const known = views.get(visible)
    if (known !== undefined) return known
    const view = createPages(() => visible)
    views.set(visible, view)
    return view
  }
  // Serialized in advance, so that the first client does not wait for it.
  if (registry.isSameForAll) pages.page(undefined)
  return answering(({ request, context }) => {
    const { cursor } = request.params
    if (cursor !== undefined && cursor === endCursor) return encodePage([], undefined)
    return (registry.isSameForAll ? pages : pagesFor(context)).page(cursor)
  })
}
