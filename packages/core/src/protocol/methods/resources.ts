import { readResource } from '../../call/read-resource.js'
import type { ResourceContents } from '../../content.js'
import { clientRequesterOf } from '../../context/mcp-context.js'
import { ProtocolError, shorten } from '../../errors/protocol-error.js'
import { encodeResource, encodeResourceTemplate } from '../encode-definitions.js'
import type { Call, Method, Methods } from '../era.js'
import type { Revision } from '../revisions.js'
import { createListMethod } from './list-method.js'
import { checkSize, type ResultWriter } from './result-writer.js'
import { whenListed, whenUsed } from './when-used.js'

/** `resources/list`, `resources/templates/list` and `resources/read` of one revision. */
export function createResourceMethods(writer: ResultWriter): Methods {
  const { dependencies, revision, completeResult } = writer
  const { resources, resourceTemplates } = dependencies.catalog
  const list = createListMethod(writer, {
    method: 'resources/list',
    member: 'resources',
    registry: resources,
    encode: encodeResource,
  })
  const listTemplates = createListMethod(writer, {
    method: 'resources/templates/list',
    member: 'resourceTemplates',
    registry: resourceTemplates,
    encode: encodeResourceTemplate,
  })
  const read: Method = async (call) => {
    const { params } = call.request
    try {
      const contents = await readResource(dependencies.plans, params, call)
      const members = `"contents":${JSON.stringify(inContents(contents, revision))}`
      const what = `Resource '${shorten(String(params['uri']))}'`
      return completeResult(checkSize(members, what, dependencies) + hintsOf(call, writer), null)
    } catch (error) {
      throw inRevision(error, revision)
    }
  }
  const registries = [resources, resourceTemplates]
  const lists = { 'resources/list': list, 'resources/templates/list': listTemplates }
  return { ...whenListed(registries, revision, lists), ...whenUsed(registries, { 'resources/read': read }) }
}

/** What was made of one client's answers is for nobody else. Spec: basic/mrtr. */
const notCacheable = ',"ttlMs":0,"cacheScope":"private"'

/** How long what was read may be kept, and by whom. */
function hintsOf({ context }: Call, { dependencies, cacheHints, privateHints }: ResultWriter): string {
  const { resources, resourceTemplates } = dependencies.catalog
  if (cacheHints !== '' && clientRequesterOf(context) !== null) return notCacheable
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
