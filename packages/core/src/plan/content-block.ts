import { checkShape, Type } from '@toolwright/schema'
import { contentAnnotations, icon } from '../catalog/define/check-description.js'
import { isDateTime } from '../catalog/define/is-date-time.js'
import { type ContentBlock, isBase64, type ResourceContents } from '../content.js'
import { UnfitResult } from '../errors/call-errors.js'
import { isJsonObject } from '../rpc/messages.js'

const shared = {
  annotations: Type.Optional(Type.Object(contentAnnotations)),
  _meta: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
}

const media = { data: Type.String(), mimeType: Type.String(), ...shared }
const contents = { uri: Type.String(), mimeType: Type.Optional(Type.String()), _meta: shared._meta }

const resourceContents = Type.Union([
  Type.Object({ ...contents, text: Type.String() }),
  Type.Object({ ...contents, blob: Type.String() }),
])

const schemas = {
  text: Type.Object({ text: Type.String(), ...shared }),
  image: Type.Object(media),
  audio: Type.Object(media),
  resource_link: Type.Object({
    uri: Type.String(),
    name: Type.String(),
    title: Type.Optional(Type.String()),
    description: Type.Optional(Type.String()),
    mimeType: Type.Optional(Type.String()),
    size: Type.Optional(Type.Number()),
    icons: Type.Optional(Type.Array(Type.Object(icon))),
    ...shared,
  }),
  resource: Type.Object({ resource: resourceContents, ...shared }),
}

const checks = new Map(Object.entries(schemas).map(([type, schema]) => [type, checkShape(schema)]))

export function isContentBlock(value: unknown): value is ContentBlock {
  if (!isJsonObject(value) || typeof value['type'] !== 'string') return false
  return checks.get(value['type'])?.(value, 'the block') === null
}

/**
 * Checks formats that the schema cannot express. Clients reject a whole result for an invalid format, with little explanation.
 *
 * @throws UnfitResult
 */
export function checkContent(block: ContentBlock): void {
  const lastModified = block.annotations?.lastModified
  if (lastModified !== undefined && !isDateTime(lastModified)) {
    throw new UnfitResult('The lastModified of a content block is not a date with seconds and a time zone')
  }
  const bytes = bytesOf(block)
  if (bytes === undefined || isBase64(bytes)) return
  throw new UnfitResult(`The bytes of a content block of type '${block.type}' are not base64`)
}

/** Base64 data of a block. Blocks of other types can have a custom `data` member, which clients ignore. */
function bytesOf(block: ContentBlock): string | undefined {
  if (block.type === 'resource') return block.resource.blob
  return block.type === 'image' || block.type === 'audio' ? block.data : undefined
}

const checkContents = checkShape(resourceContents)

export function isResourceContents(value: unknown): value is ResourceContents {
  return checkContents(value, 'the contents') === null
}
