import {
  type AddedPrompt,
  type AddedResource,
  type AddedTool,
  type Icon,
  type InputSchema,
  isJsonObject,
  type JsonObject,
  listed,
  Type,
} from '@toolwright/core'
import { objectsOf, textOf } from './json.js'
import { mapMeta } from './map-results.js'
import type { UriMap } from './uris.js'

// Descriptions of features for this server: the members of a listed feature that this server can list again. Members with a wrong
// type are dropped, because one of them would break the whole list.

type Described<Added> = Omit<Added, 'handler' | 'name' | 'uri'>

const flags = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const

export function describeTool(tool: JsonObject, uris: UriMap): Described<AddedTool> {
  const { inputSchema, outputSchema, annotations } = tool
  return {
    ...describeShared(tool, uris),
    inputSchema: listed(isJsonObject(inputSchema) ? inputSchema : { type: 'object' }),
    ...(isJsonObject(outputSchema) ? { outputSchema: listed(outputSchema) } : {}),
    ...(isJsonObject(annotations) ? { annotations: readAnnotations(annotations) } : {}),
  }
}

function readAnnotations(annotations: JsonObject): NonNullable<AddedTool['annotations']> {
  const title = textOf(annotations['title'])
  const known = flags.filter((name) => typeof annotations[name] === 'boolean')
  return {
    ...(title === undefined ? {} : { title }),
    ...Object.fromEntries(known.map((name) => [name, annotations[name]])),
  }
}

export function describePrompt(prompt: JsonObject, uris: UriMap): Described<AddedPrompt> {
  const args = objectsOf(prompt['arguments']).filter(({ name }) => typeof name === 'string')
  const shared = describeShared(prompt, uris)
  if (args.length === 0) return shared
  const fields = args.map(({ name, title, description, required }) => {
    const field = Type.String(clean({ title: textOf(title), description: textOf(description) }))
    return [name as string, required === true ? field : Type.Optional(field)] as const
  })
  const input: InputSchema = Type.Object(Object.fromEntries(fields))
  return { ...shared, input } as unknown as Described<AddedPrompt>
}

export function describeResource(resource: JsonObject, uris: UriMap): Described<AddedResource> {
  const { annotations, size } = resource
  return {
    ...describeShared(resource, uris),
    ...clean({ mimeType: textOf(resource['mimeType']) }),
    ...(Number.isSafeInteger(size) && (size as number) >= 0 ? { size: size as number } : {}),
    ...(isJsonObject(annotations) ? { annotations: readContentAnnotations(annotations) } : {}),
  }
}

function readContentAnnotations(annotations: JsonObject): NonNullable<AddedResource['annotations']> {
  const { audience, priority, lastModified } = annotations
  const isAudience = Array.isArray(audience) && audience.every((one) => one === 'user' || one === 'assistant')
  const isPriority = typeof priority === 'number' && priority >= 0 && priority <= 1
  return {
    ...(isAudience ? { audience: audience as ('user' | 'assistant')[] } : {}),
    ...(isPriority ? { priority } : {}),
    ...(isDateTime(lastModified) ? { lastModified } : {}),
  }
}

function isDateTime(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value)
}

function describeShared(feature: JsonObject, uris: UriMap) {
  const { title, description, _meta, icons } = feature
  const shown = objectsOf(icons).flatMap(readIcon)
  return {
    ...clean({ title: textOf(title), description: textOf(description) }),
    ...(isJsonObject(_meta) ? { _meta: mapMeta(_meta, uris) } : {}),
    ...(shown.length === 0 ? {} : { icons: shown }),
  }
}

function readIcon({ src, mimeType, sizes, theme }: JsonObject): readonly Icon[] {
  if (typeof src !== 'string' || !/^(https?|data):/i.test(src) || !URL.canParse(src)) return []
  const isSizes = Array.isArray(sizes) && sizes.every((size) => typeof size === 'string')
  return [
    {
      src,
      ...clean({ mimeType: textOf(mimeType) }),
      ...(isSizes ? { sizes } : {}),
      ...(theme === 'light' || theme === 'dark' ? { theme } : {}),
    },
  ]
}

function clean<Members extends Readonly<Record<string, string | undefined>>>(members: Members) {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Members]?: string
  }
}
