import { randomUUID } from 'node:crypto'
import type { InputRequest } from '../../client-requests/client-request.js'
import type { ContentBlock } from '../../content.js'
import { ClientRequestError } from '../../errors/client-request-errors.js'
import type { JsonObject } from '../../rpc/messages.js'
import { downConvert } from '../encode/encode-tool-result.js'
import type { Revision } from '../revisions.js'

/**
 * Encodes a client request for a revision, without members of later revisions.
 *
 * @throws ClientRequestError for an elicitation form that the revision cannot express.
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

/** Splits messages with several content blocks, because older revisions allow one block per message. */
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
    throw new ClientRequestError(
      `The client's protocol version does not support fields with multiple choices, such as '${name}'.`,
    )
  }
  if (field['type'] === 'boolean') return initial === undefined ? field : { ...field, default: initial }
  if (oneOf === undefined) return field
  const options = oneOf as readonly TitledOption[]
  return { ...field, enum: options.map((option) => option.const), enumNames: options.map((option) => option.title) }
}
