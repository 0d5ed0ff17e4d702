import { type Catalog, type Extension, type JsonObject, ProtocolError } from '@toolwright/core'
import { ListPages, readString, requireAccess } from '@toolwright/core/extension'
import { shorten } from '@toolwright/schema'
import type { SkillDefinition } from './skill-definition.js'
import { SkillDirectories } from './skill-directories.js'

type Methods = NonNullable<Extension['methods']>

interface Served {
  readonly skills: () => readonly SkillDefinition[]
  readonly catalog: () => Catalog
}

interface Paging {
  readonly pageSize: number
  /** `nextCursor` of the last page of `skills/list`. Clients that send this cursor get an empty page. */
  readonly endCursor: string | undefined
}

/** Creates `skills/list`, `skills/get` and `resources/directory/read`. Spec: Skills extension. */
export function createSkillMethods(served: Served, paging: Paging): Methods {
  const { skills, catalog } = served
  const isSameForAll = (): boolean => catalog().defaultRule === null
  const list = createListMethod(served, paging)
  const get = (params: JsonObject, viewer: Viewer): JsonObject => {
    const uri = readString(params, 'uri')
    const skill = skills().find((one) => one.uri === uri)
    const unknown = new ProtocolError('invalidParams', `No skill is served at ${shorten(uri)}`)
    if (skill === undefined || !catalog().resources.offers(uri, viewer)) throw unknown
    requireAccess({ rule: catalog().defaultRule }, viewer.principal, unknown)
    return { skill }
  }
  const readDirectory = createDirectoryMethod(served, paging)
  return {
    'skills/list': { access: 'everyone', isSameForAll: () => !catalog().resources.dependsOnCaller, run: list },
    'skills/get': { access: 'everyone', isSameForAll, run: get },
    'resources/directory/read': {
      access: 'everyone',
      run: (params, { principal }) => readDirectory(params, principal),
    },
  }
}

type Caller = Parameters<typeof requireAccess>[1]
type Viewer = Parameters<Catalog['resources']['visibleTo']>[0]

function createListMethod({ skills, catalog }: Served, { pageSize, endCursor }: Paging) {
  /** Pages by the resources that a caller sees: the same array until the catalog changes. */
  const pagesOf = new WeakMap<object, ListPages<SkillDefinition, JsonObject>>()
  const open = (visible: readonly { readonly uri: string }[]): ListPages<SkillDefinition, JsonObject> => {
    const uris = new Set(visible.map(({ uri }) => uri))
    const pages = new ListPages({
      method: 'skills/list',
      pageSize,
      entries: skills().filter(({ uri }) => uris.has(uri)),
      keyOf: ({ uri }) => uri,
      encode: (page, nextCursor = endCursor): JsonObject => ({ skills: page, nextCursor }),
    })
    pagesOf.set(visible, pages)
    return pages
  }
  return ({ cursor }: JsonObject, viewer: Viewer): JsonObject => {
    if (cursor !== undefined && cursor === endCursor) return { skills: [] }
    const visible = catalog().resources.visibleTo(viewer)
    return (pagesOf.get(visible) ?? open(visible)).page(cursor)
  }
}

function createDirectoryMethod({ skills, catalog }: Served, { pageSize }: Paging) {
  let directories: SkillDirectories | null = null
  /** Pages by list of children, which is the same array until a resource is added, removed, enabled or disabled. */
  const pagesOf = new WeakMap<readonly JsonObject[], ListPages<JsonObject, JsonObject>>()
  const open = (uri: string): ListPages<JsonObject, JsonObject> => {
    directories ??= new SkillDirectories(skills(), catalog())
    const entries = directories.childrenOf(uri)
    if (entries === undefined) throw notDirectory(uri)
    const known = pagesOf.get(entries)
    if (known !== undefined) return known
    const pages = new ListPages({
      // The name includes the URI, so that cursors of other directories are rejected.
      method: `resources/directory/read ${uri}`,
      pageSize,
      entries,
      keyOf: ({ uri: key }) => String(key),
      encode: (resources, nextCursor): JsonObject => ({ resources, nextCursor }),
    })
    pagesOf.set(entries, pages)
    return pages
  }
  return (params: JsonObject, principal: Caller): JsonObject => {
    const uri = readString(params, 'uri')
    // Directories have the same access rule as all files of skills.
    requireAccess({ rule: catalog().defaultRule }, principal, notDirectory(uri))
    return open(uri).page(params['cursor'])
  }
}

function notDirectory(uri: string): ProtocolError {
  return new ProtocolError('invalidParams', `${shorten(uri)} is not a directory resource`)
}
