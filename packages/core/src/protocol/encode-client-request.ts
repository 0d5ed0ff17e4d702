import { randomUUID } from 'node:crypto'
import type { InputRequest } from '../client-requests/client-request.js'
import type { ContentBlock } from '../content.js'
import { ClientRequestError } from '../errors/client-request-errors.js'
import type { JsonObject } from '../rpc/messages.js'
import { downConvert } from './encode-tool-result.js'
import type { Revision } from './revisions.js'

/**
 * A question with nothing in it that is younger than the revision.
 *
 * @throws ClientRequestError for a form that the revision has no way to show.
 */
export function encodeClientRequest({ method, params = {} }: InputRequest, revision: Revision): InputRequest {
  if (method === 'sampling/createMessage') {
    return { method, params: revision.samplingModes ? params : toSingleBlocks(params, revision) }
  }
  if (method === 'roots/list') return { method, params }
  if (revision.elicitation === 'basic') return { method, params: toBasicForm(params) }
  const needsId = params['mode'] === 'url' && revision.era === 'legacy' && params['elicitationId'] === undefined
  return { method, params: needsId ? { ...params, elicitationId: randomUUID() } : params }
}

/** Older messages hold one block each: several become several messages. */
function toSingleBlocks(params: JsonObject, revision: Revision): JsonObject {
  const messages = (params['messages'] as readonly JsonObject[]).flatMap(({ role, content }) =>
    [content].flat().map((block) => ({ role, content: downConvert(block as ContentBlock, revision) })),
  )
  return { ...params, messages }
}

function toBasicForm({ message, requestedSchema }: JsonObject): JsonObject {
  const { properties, ...schema } = requestedSchema as JsonObject
  const fields = Object.entries(properties as Record<string, JsonObject>).map(([name, field]) => [
    name,
    toBasicField(name, field),
  ])
  return { message, requestedSchema: { ...schema, properties: Object.fromEntries(fields) } }
}

interface TitledOption {
  readonly const: string
  readonly title: string
}

function toBasicField(name: string, { default: initial, oneOf, ...field }: JsonObject): JsonObject {
  if (field['type'] === 'array') {
    throw new ClientRequestError(`The client's protocol version has no field with several choices, as '${name}' is.`)
  }
  if (field['type'] === 'boolean') return initial === undefined ? field : { ...field, default: initial }
  if (oneOf === undefined) return field
  const options = oneOf as readonly TitledOption[]
  return { ...field, enum: options.map((option) => option.const), enumNames: options.map((option) => option.title) }
}
