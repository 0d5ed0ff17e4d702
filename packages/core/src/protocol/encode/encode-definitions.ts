import { collectMembers } from '@toolwright/schema'
import type {
  PromptDefinition,
  ResourceDefinition,
  ResourceTemplateDefinition,
  ToolDefinition,
} from '../../catalog/definitions.js'
import { isJsonObject, type JsonObject } from '../../rpc/messages.js'
import type { ServerIdentity } from '../dependencies.js'
import type { ListedTool } from '../in-process/results.js'
import { latest, type Revision } from '../revisions.js'
import { withoutDate } from './encode-tool-result.js'

// Encodes list entries and the server's identity for a revision, without members of later revisions.

export function encodeTool(tool: ToolDefinition, revision: Revision): JsonObject {
  return {
    name: tool.name,
    title: revision.titles ? tool.title : undefined,
    description: tool.description,
    inputSchema: encodeSchema(tool.input.wire, revision),
    outputSchema: fitsOutput(tool, revision) ? encodeSchema(tool.output?.wire, revision) : undefined,
    annotations: revision.annotations ? annotationsOf(tool, revision) : undefined,
    icons: revision.icons ? tool.icons : undefined,
    _meta: revision.meta ? tool.meta : undefined,
  }
}

/** Replaces boolean schemas of properties, because older clients reject a list that contains a boolean schema. */
function encodeSchema(wire: JsonObject | undefined, { booleanSchemas }: Revision): JsonObject | undefined {
  const properties = wire?.['properties']
  if (booleanSchemas || !isJsonObject(properties)) return wire
  if (!Object.values(properties).some((schema) => typeof schema === 'boolean')) return wire
  const encoded = Object.entries(properties).map(([name, schema]) => [name, withoutBoolean(schema)])
  return { ...wire, properties: Object.fromEntries(encoded) }
}

function withoutBoolean(schema: unknown): unknown {
  if (schema === true) return {}
  return schema === false ? { not: {} } : schema
}

/** Encodes a tool for the newest revision. */
export function listTool(tool: ToolDefinition): ListedTool {
  return encodeTool(tool, latest) as unknown as ListedTool
}

function fitsOutput({ output }: ToolDefinition, { structuredContent }: Revision): boolean {
  if (structuredContent === 'any') return true
  return structuredContent === 'object' && output?.wire['type'] === 'object'
}

function annotationsOf({ annotations, title }: ToolDefinition, { titles }: Revision): ToolDefinition['annotations'] {
  return titles || title === undefined ? annotations : { title, ...annotations }
}

export function encodePrompt(prompt: PromptDefinition, revision: Revision): JsonObject {
  const { name, title, description, icons, meta, input } = prompt
  const { properties, required } = collectMembers(input.wire)
  const args = [...properties].map(([argument, schemas]) => ({
    name: argument,
    title: revision.titles ? firstOf(schemas, 'title') : undefined,
    description: firstOf(schemas, 'description'),
    required: required.has(argument),
  }))
  return {
    name,
    title: revision.titles ? title : undefined,
    description,
    arguments: args.length === 0 ? undefined : args,
    icons: revision.icons ? icons : undefined,
    _meta: revision.meta ? meta : undefined,
  }
}

function firstOf(schemas: readonly JsonObject[], keyword: string): unknown {
  return schemas.find((schema) => schema[keyword] !== undefined)?.[keyword]
}

export function encodeResource(resource: ResourceDefinition, revision: Revision): JsonObject {
  return { uri: resource.uri, ...encodeResourceBase(resource, revision), size: resource.size }
}

/** Encodes a resource for the newest revision. */
export function listResource(resource: ResourceDefinition): JsonObject {
  return encodeResource(resource, latest)
}

export function encodeResourceTemplate(resource: ResourceTemplateDefinition, revision: Revision): JsonObject {
  return { uriTemplate: resource.template.text, ...encodeResourceBase(resource, revision) }
}

function encodeResourceBase(resource: ResourceDefinition | ResourceTemplateDefinition, revision: Revision): JsonObject {
  const { name, title, description, mimeType, annotations, icons, meta } = resource
  return {
    name,
    title: revision.titles ? title : undefined,
    description,
    mimeType,
    annotations: revision.meta || annotations === undefined ? annotations : withoutDate(annotations),
    icons: revision.icons ? icons : undefined,
    _meta: revision.meta ? meta : undefined,
  }
}

export function encodeIdentity(identity: ServerIdentity, revision: Revision): JsonObject {
  const { name, version, title, description, websiteUrl, icons } = identity
  if (!revision.titles) return { name, version }
  return revision.icons ? { name, version, title, description, websiteUrl, icons } : { name, version, title }
}
