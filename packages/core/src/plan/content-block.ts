import type { ContentBlock, ResourceContents } from '../content.js'
import { isJsonObject } from '../rpc/messages.js'
import { Compile, Type } from '../schema/typebox.js'

const shared = {
  annotations: Type.Optional(
    Type.Object({
      audience: Type.Optional(Type.Array(Type.Union([Type.Literal('user'), Type.Literal('assistant')]))),
      priority: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
      lastModified: Type.Optional(Type.String()),
    }),
  ),
  _meta: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
}

const media = { data: Type.String(), mimeType: Type.String(), ...shared }
const contents = { uri: Type.String(), mimeType: Type.Optional(Type.String()), _meta: shared._meta }

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
    ...shared,
  }),
  resource: Type.Object({
    resource: Type.Union([
      Type.Object({ ...contents, text: Type.String() }),
      Type.Object({ ...contents, blob: Type.String() }),
    ]),
    ...shared,
  }),
}

const validators = new Map(Object.entries(schemas).map(([type, schema]) => [type, Compile(schema)]))

/** Whether plain data is a content block of one of the five kinds. */
export function isContentBlock(value: unknown): value is ContentBlock {
  if (!isJsonObject(value) || typeof value['type'] !== 'string') return false
  return validators.get(value['type'])?.Check(value) ?? false
}

const contentsValidator = Compile(
  Type.Union([Type.Object({ ...contents, text: Type.String() }), Type.Object({ ...contents, blob: Type.String() })]),
)

/** Whether plain data is the contents of a resource, with its URI. */
export function isResourceContents(value: unknown): value is ResourceContents {
  return contentsValidator.Check(value)
}
