import type { Shelf } from '../../catalog/shelf.js'
import { ListPages } from '../../dispatch/list-pages.js'
import type { JsonObject } from '../../rpc/messages.js'
import type { Method } from '../era.js'
import type { Revision } from '../revisions.js'
import type { Wire } from './wire.js'

export interface ListedShelf<Definition> {
  /** Such as `tools/list`. */
  readonly method: string
  /** The member of the result that holds the entries. */
  readonly member: string
  readonly shelf: Shelf<Definition>
  readonly encode: (definition: Definition, revision: Revision) => JsonObject
}

/** One of the list methods: its pages are serialised when the server starts and after each change. */
export function createListMethod<Definition>(wire: Wire, listed: ListedShelf<Definition>): Method {
  const { served, revision, completeResult, cacheHints } = wire
  const { method, member, shelf, encode } = listed
  const pages = new ListPages<Definition>({
    method,
    pageSize: served.pageSize,
    entries: () => shelf.all,
    keyOf: shelf.keyOf,
    encode: (definitions, nextCursor) => {
      const entries = JSON.stringify(definitions.map((definition) => encode(definition, revision)))
      const cursor = nextCursor ?? (served.alwaysNextCursor ? '' : undefined)
      const next = cursor === undefined ? '' : `,"nextCursor":${JSON.stringify(cursor)}`
      return completeResult(`"${member}":${entries}${next}${cacheHints}`, null)
    },
  })
  // Serialised now, so that the first client does not wait for it.
  pages.page(undefined)
  return ({ request }) => pages.page(request.params['cursor'])
}
