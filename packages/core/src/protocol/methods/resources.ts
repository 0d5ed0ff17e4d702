import { shorten } from '@toolwright/schema'
import { wrongTransport } from '../../call/check-transport.js'
import {
  type FoundResource,
  hasPolicies,
  isOffered,
  policyRejection,
  roleRejection,
  transportRejection,
} from '../../call/find-resource.js'
import { rejectUse } from '../../call/observe-forbidden.js'
import { findParsed } from '../../call/parse-variables.js'
import type { ResourceContents } from '../../content.js'
import { clientRequesterOf } from '../../context/mcp-context.js'
import { type ProtocolError, ResourceNotFoundError } from '../../errors/protocol-error.js'
import type { ResourceResult } from '../../plan/resource-plan.js'
import { readString } from '../../rpc/messages.js'
import { isPromiseLike } from '../../timing/with-timeout.js'
import { encodeResource, encodeResourceTemplate } from '../encode/encode-definitions.js'
import type { Method, Methods } from '../era.js'
import type { RequestCall, WritingMethod } from '../request-call.js'
import type { Revision } from '../revisions.js'
import { createListMethod } from './list-method.js'
import { checkSize, type ResultWriter } from './result-writer.js'
import { whenListed, whenUsed } from './when-used.js'

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
  const method: WritingMethod = {
    notFound: ({ uri }) => new ResourceNotFoundError(uri as string),
    startTask: null,
    write: (encoded, call) => {
      const { contents, meta } = encoded as ResourceResult
      const members = `"contents":${JSON.stringify(inContents(contents, revision))}`
      const what = `Resource '${shorten(call.uri as string)}'`
      return completeResult(checkSize(members, what, dependencies) + hintsOf(call, writer), meta)
    },
  }
  const read: Method = (call) => {
    const uri = readString(call.request.params, 'uri')
    call.uri = uri
    const found = findParsed(dependencies.plans, uri, call)
    if (!isPromiseLike(found)) serve(found, call)
    else {
      found.then(
        (parsed) => call.resume(() => serve(parsed, call)),
        (error: unknown) => call.fail(error),
      )
    }
  }
  const serve = (found: FoundResource | null, call: RequestCall): void => {
    if (found === null || !isOffered(found, dependencies.catalog, call.context)) throw method.notFound(call)
    const rejecting = roleRejection(found, call.context.principal)
    if (rejecting !== null) throw rejectionBy(rejecting, call)
    const unreachable = transportRejection(found, call.context.transport)
    if (unreachable !== null) throw wrongTransport(unreachable.plan, call) ?? method.notFound(call)
    if (hasPolicies(found)) askPolicies(found, call)
    else call.start(found.plan, method, found.variables, found.uri)
  }
  const rejectionBy = ({ plan, variables }: FoundResource, call: RequestCall): ProtocolError =>
    rejectUse(plan, variables, call) ?? method.notFound(call)
  const askPolicies = (found: FoundResource, call: RequestCall): void => {
    policyRejection(found, call).then(
      (rejecting) =>
        rejecting === null
          ? call.resume(() => call.start(found.plan, method, found.variables, found.uri))
          : call.fail(rejectionBy(rejecting, call)),
      (error: unknown) => call.fail(error),
    )
  }
  const uses = [resources.use, resourceTemplates.use]
  const lists = { 'resources/list': list, 'resources/templates/list': listTemplates }
  return { ...whenListed(uses, revision, lists), ...whenUsed(uses, { 'resources/read': read }) }
}

/** Cache hints for results that depend on a client's answers. Caches must not reuse such results. Spec: basic/mrtr. */
const notCacheable = ',"ttlMs":0,"cacheScope":"private"'

function hintsOf({ context }: RequestCall, { dependencies, cacheHints, privateHints }: ResultWriter): string {
  const { resources, resourceTemplates } = dependencies.catalog
  if (cacheHints !== '' && clientRequesterOf(context) !== null) return notCacheable
  return resources.dependsOnCaller || resourceTemplates.dependsOnCaller ? privateHints : cacheHints
}

function inContents(contents: readonly ResourceContents[], revision: Revision): readonly ResourceContents[] {
  return revision.meta ? contents : contents.map(({ _meta, ...known }) => known)
}
