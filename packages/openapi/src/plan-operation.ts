import { isJsonObject, type JsonObject } from '@toolwright/core'
import { type Body, readBody } from './body.js'
import { cleanText } from './clean-text.js'
import type { Detail } from './detail.js'
import type { Documents } from './documents.js'
import { DocumentError } from './errors.js'
import { itemsOf } from './flat-body.js'
import { nameArguments, type Part } from './inputs.js'
import { listAt, objectAt, ownMember, textAt, toObject } from './json.js'
import { type FoundOperation, originOf } from './operation.js'
import { isJsonType, type Parameter, readParameters } from './parameters.js'
import type { Dialect } from './parse-document.js'
import { climbs, type PathPart, splitPath } from './path.js'
import { SchemaWriter, TooLarge } from './schema-writer.js'

export interface Argument {
  /** The name that the model uses. */
  readonly key: string
  /** The name in the request; `null`: the value is the whole body. */
  readonly name: string | null
  /** `null`: the argument belongs to the body. */
  readonly parameter: Parameter | null
}

export interface OperationPlan {
  readonly operation: FoundOperation
  readonly description: string
  readonly parts: readonly PathPart[]
  readonly arguments: readonly Argument[]
  readonly body: Body | null
  readonly inputSchema: Record<string, unknown>
  readonly output: OutputPlan | null
  /** Whether the document says that the operation needs no credentials. */
  readonly isPublic: boolean
  /** Mistakes of the document that were corrected. */
  readonly mends: readonly string[]
}

export interface OutputPlan {
  readonly schema: Record<string, unknown>
  /** Whether the answer is sent as the member `result`, because the answer is no object. */
  readonly isWrapped: boolean
}

/** Name of the member that holds an answer that the schema of the document does not describe. */
export const unexpected = 'unexpected_answer'

const maxInputSchemas = 5000

export interface Reading {
  readonly documents: Documents
  readonly dialect: Dialect
  readonly detail: Detail
  /** Whether answers have to match the schema of the document. */
  readonly isStrict: boolean
}

/** @throws NotLoaded, DocumentError */
export function planOperation(operation: FoundOperation, reading: Reading): OperationPlan {
  const { documents, detail } = reading
  const writer = new SchemaWriter(reading, 'request', maxInputSchemas)
  const parts = splitPath(operation.path)
  checkPath(operation.path, parts)
  const parameters = pathParameters(readParameters(operation, documents), parts, operation)
  const body = readBody(operation, documents)
  const { args, inputSchema } = planInput(parameters, body, writer, documents)
  const responses = new SchemaWriter(reading, 'response', detail.outputSchemas)
  return {
    operation,
    description: describe(operation, detail),
    parts,
    arguments: args,
    body,
    inputSchema,
    output: planOutput(operation, reading, responses),
    isPublic: Array.isArray(operation.raw['security']) && operation.raw['security'].length === 0,
    mends: [...writer.mends, ...responses.mends],
  }
}

function checkPath(path: string, parts: readonly PathPart[]): void {
  if (!path.startsWith('/')) throw new DocumentError("its path does not begin with '/'")
  const text = parts.map((part) => ('text' in part ? part.text : 'x')).join('')
  if (/[?#]/.test(text)) throw new DocumentError("its path contains '?' or '#'")
  if (climbs(text)) throw new DocumentError("its path has a segment '.' or '..'")
  const built = new URL(`http://api${text}`)
  // oxlint-disable-next-line no-control-regex
  if (/[\x00-\x20\x7f\\]/.test(text) || decodeURI(built.pathname) !== decodeURI(text)) {
    throw new DocumentError('its path contains characters that URLs do not have')
  }
}

/** Adds the parameters that the path has and that the document forgot, and leaves out those that the path does not have. */
function pathParameters(
  parameters: readonly Parameter[],
  parts: readonly PathPart[],
  { raw, document }: FoundOperation,
): Parameter[] {
  const names = new Set(parts.flatMap((part) => ('parameter' in part ? [part.parameter] : [])))
  const kept = parameters.filter(({ place, name }) => place !== 'path' || names.has(name))
  for (const { place, name } of kept) if (place === 'path') names.delete(name)
  const forgotten = [...names].map(
    (name): Parameter => ({
      name,
      place: 'path',
      style: 'simple',
      explode: false,
      allowReserved: false,
      isRequired: true,
      description: '',
      schema: { type: 'string' },
      isJsonText: false,
      raw,
      document,
    }),
  )
  return [...forgotten, ...kept]
}

interface PlannedInput {
  readonly args: readonly Argument[]
  readonly inputSchema: Record<string, unknown>
}

interface Described extends Part {
  readonly argument: Omit<Argument, 'key'>
  readonly isRequired: boolean
  readonly schema: unknown
}

function planInput(
  parameters: readonly Parameter[],
  body: Body | null,
  writer: SchemaWriter,
  documents: Documents,
): PlannedInput {
  const described: Described[] = parameters.map((parameter) => ({
    name: parameter.name,
    place: parameter.place,
    argument: { name: parameter.name, parameter },
    isRequired: parameter.isRequired,
    schema: withDescription(writer.write(parameter.schema, parameter.document), parameter, writer.detail),
  }))
  if (body !== null) described.push(...describeBody(body, writer, documents))
  const keys = nameArguments(described)
  const properties = described.map(({ schema }, index) => [keys[index] as string, schema] as const)
  const required = keys.filter((_, index) => described[index]?.isRequired === true)
  const inputSchema = writer.finish({
    type: 'object',
    properties: toObject(properties),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  })
  return { args: described.map(({ argument }, index) => ({ key: keys[index] as string, ...argument })), inputSchema }
}

function withDescription(schema: unknown, { description, raw }: Parameter, { parameterLength }: Detail): unknown {
  const own = cleanText(description, parameterLength)
  const text = raw['deprecated'] === true ? `Deprecated. ${own}`.trim() : own
  if (text === '') return schema
  const written = isJsonObject(schema) ? schema : {}
  // The default of the schema is part of its description.
  const fallback = /Default: .*$/.exec(textAt(written, 'description') ?? '')?.[0]
  return { ...written, description: fallback === undefined || text.includes(fallback) ? text : `${text} ${fallback}` }
}

function describeBody(body: Body, writer: SchemaWriter, documents: Documents): Described[] {
  if (body.fields === null) {
    const argument = { name: null, parameter: null }
    return [{ name: 'body', place: 'body', argument, isRequired: body.isRequired, schema: wholeBody(body, writer) }]
  }
  const given = body.fields.filter(({ schema }) => !writer.isHidden(schema.value, schema.document))
  return given.map(({ name, isRequired, schema }) => {
    const isFile = body.form.get(name)?.isFile === true
    const isList = isFile && itemsOf(schema, documents) !== null
    const written = isFile
      ? fileSchema(schema.value, isList, writer.detail)
      : writer.write(schema.value, schema.document)
    const argument = { name, parameter: null }
    return { name, place: 'body', argument, isRequired: isRequired && body.isRequired, schema: written }
  })
}

function wholeBody({ kind, schema, description }: Body, writer: SchemaWriter): Record<string, unknown> {
  const text = cleanText(description, writer.detail.parameterLength)
  if (kind === 'bytes') {
    const note = 'The bytes of the body as base64.'
    return { type: 'string', contentEncoding: 'base64', description: text === '' ? note : `${text} ${note}` }
  }
  const written = writer.write(kind === 'text' ? { type: 'string' } : schema.value, schema.document)
  const shown = typeof written === 'boolean' ? {} : written
  return text === '' || 'description' in shown ? shown : { ...shown, description: text }
}

/** The argument of a file. Text needs no base64, which models write badly. */
function fileSchema(schema: unknown, isList: boolean, { parameterLength }: Detail): Record<string, unknown> {
  const description = isJsonObject(schema) ? cleanText(schema['description'], parameterLength) : ''
  const note = "A file: give its 'text', or its bytes as base64 in 'data'."
  const file = {
    type: 'object',
    properties: {
      text: { type: 'string' },
      data: { type: 'string', contentEncoding: 'base64' },
      name: { type: 'string', description: 'The name of the file.' },
      type: { type: 'string', description: 'The media type of the file.' },
    },
    additionalProperties: false,
  }
  const shown = description === '' ? note : `${description} ${note}`
  return isList ? { type: 'array', items: file, description: shown } : { ...file, description: shown }
}

function describe(operation: FoundOperation, { descriptionLength }: Detail): string {
  const summary = cleanText(operation.summary, 200)
  const description = cleanText(operation.description, descriptionLength)
  const texts = description.startsWith(summary) ? [description] : [summary, description]
  const text = texts.filter((part) => part !== '').join('\n') || originOf(operation)
  return cleanText(operation.deprecated ? `Deprecated. ${text}` : text, descriptionLength)
}

/** Plans the structured content: the JSON of the first successful response. */
function planOutput(
  operation: FoundOperation,
  { documents, detail, isStrict }: Reading,
  writer: SchemaWriter,
): OutputPlan | null {
  const responses = objectAt(operation.raw, 'responses')
  const [status] = Object.keys(responses)
    .filter((code) => /^2(?:\d\d|XX)$/i.test(code))
    .toSorted()
  if (status === undefined) return null
  const { value, document } = documents.follow(responses[status], operation.document, status)
  const media = Object.entries(isJsonObject(value) ? objectAt(value, 'content') : {}).find(([type]) => isJsonType(type))
  const described = media === undefined ? undefined : documents.follow(media[1], document, status)
  if (described === undefined || !isJsonObject(described.value)) return null
  const given = ownMember(described.value, 'schema')
  if (given === undefined) return null
  try {
    const output = outputOf(writer, writer.write(given, described.document), isStrict)
    // Clients load the schema of each tool. Without it, the answer is still structured content.
    return output === null || JSON.stringify(output.schema).length > detail.outputLength ? null : output
  } catch (error) {
    if (error instanceof TooLarge) return null
    throw error
  }
}

function outputOf(writer: SchemaWriter, written: unknown, isStrict: boolean): OutputPlan | null {
  const root = isJsonObject(written) ? writer.finish({ ...written }) : {}
  if (Object.keys(root).length === 0) return null
  const isWrapped = !isOfObjects(root, objectAt(root, '$defs'))
  const answer = isWrapped
    ? { type: 'object', properties: { result: written }, required: ['result'] }
    : (written as JsonObject)
  const schema = writer.finish(
    isStrict ? { ...answer, type: 'object' } : { type: 'object', anyOf: [answer, { required: [unexpected] }] },
  )
  return { schema, isWrapped }
}

/** Whether all values of a schema are objects, as far as the schema says so. */
function isOfObjects(schema: unknown, definitions: JsonObject, depth = 0): boolean {
  if (!isJsonObject(schema) || depth > 8) return false
  const isObjects = (part: unknown): boolean => isOfObjects(part, definitions, depth + 1)
  const reference = textAt(schema, '$ref')
  if (reference !== undefined) return isObjects(definitions[reference.slice('#/$defs/'.length)])
  if (schema['type'] !== undefined) return schema['type'] === 'object'
  if ('properties' in schema || listAt(schema, 'allOf').some(isObjects)) return true
  const choices = [listAt(schema, 'anyOf'), listAt(schema, 'oneOf')].find((list) => list.length > 0)
  return choices?.every(isObjects) ?? false
}
