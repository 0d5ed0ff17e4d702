import type { ResourceContents } from '../../content.js'
import { askerOf } from '../../context/mcp-context.js'
import { readResource } from '../../dispatch/read-resource.js'
import { ProtocolError, shorten } from '../../errors/protocol-error.js'
import { encodeResource, encodeResourceTemplate } from '../encode-definitions.js'
import type { Call, Method, Methods } from '../era.js'
import type { Revision } from '../revisions.js'
import { createListMethod } from './list-method.js'
import { whenListed, whenUsed } from './when-used.js'
import { checkSize, type Wire } from './wire.js'

/** `resources/list`, `resources/templates/list` and `resources/read` of one revision. */
export function createResourceMethods(wire: Wire): Methods {
  const { served, revision, completeResult } = wire
  const { resources, resourceTemplates } = served.catalog
  const list = createListMethod(wire, {
    method: 'resources/list',
    member: 'resources',
    shelf: resources,
    encode: encodeResource,
  })
  const listTemplates = createListMethod(wire, {
    method: 'resources/templates/list',
    member: 'resourceTemplates',
    shelf: resourceTemplates,
    encode: encodeResourceTemplate,
  })
  const read: Method = async (call) => {
    const { params } = call.request
    try {
      const contents = await readResource(served.plans, params, call)
      const members = `"contents":${JSON.stringify(inContents(contents, revision))}`
      const what = `Resource '${shorten(String(params['uri']))}'`
      return completeResult(checkSize(members, what, served) + hintsOf(call, wire), null)
    } catch (error) {
      throw inRevision(error, revision)
    }
  }
  const shelves = [resources, resourceTemplates]
  const lists = { 'resources/list': list, 'resources/templates/list': listTemplates }
  return { ...whenListed(shelves, revision, lists), ...whenUsed(shelves, { 'resources/read': read }) }
}

/** What was made of one client's answers is for nobody else. Spec: basic/mrtr. */
const notCacheable = ',"ttlMs":0,"cacheScope":"private"'

/** How long what was read may be kept, and by whom. */
function hintsOf({ context }: Call, { served, cacheHints, privateHints }: Wire): string {
  const { resources, resourceTemplates } = served.catalog
  if (cacheHints !== '' && askerOf(context) !== null) return notCacheable
  return resources.isGuarded || resourceTemplates.isGuarded ? privateHints : cacheHints
}

/** What the revision knows of them. */
function inContents(contents: readonly ResourceContents[], revision: Revision): readonly ResourceContents[] {
  return revision.meta ? contents : contents.map(({ _meta, ...known }) => known)
}

/** "Not found" had a code of its own until 2026. Spec: server/resources, "Error Handling". */
function inRevision(error: unknown, { era }: Revision): unknown {
  const isRenamed = error instanceof ProtocolError && error.kind === 'resourceNotFound' && era === 'legacy'
  return isRenamed ? new ProtocolError('legacyResourceNotFound', error.message, error.data) : error
}
