// The rules of `server.json`: https://github.com/modelcontextprotocol/registry, docs/reference/server-json. The official
// schema has the same rules, and also descriptions.
import { compileTypeBox, describeErrors } from '@toolwright/schema'

export const schemaUrl = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const
const uri = { type: 'string', format: 'uri' } as const
const listOf = (items: object) => ({ type: 'array', items })
const mapOf = (values: object) => ({ type: 'object', additionalProperties: values })

const input = {
  type: 'object',
  properties: {
    choices: listOf(text),
    default: text,
    description: text,
    format: { enum: ['string', 'number', 'boolean', 'filepath'] },
    isRequired: flag,
    isSecret: flag,
    placeholder: text,
    value: text,
  },
}
const variables = mapOf(input)
const inputWith = (properties: object, required: readonly string[]) => ({
  type: 'object',
  properties: { ...input.properties, variables, ...properties },
  required,
})
const keyValue = inputWith({ name: text }, ['name'])

const argument = {
  type: 'object',
  required: ['type'],
  properties: { type: { enum: ['named', 'positional'] } },
  if: { properties: { type: { const: 'named' } } },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: inputWith({ name: text, isRepeated: flag }, ['name']),
  else: {
    ...inputWith({ valueHint: text, isRepeated: flag }, []),
    anyOf: [{ required: ['valueHint'] }, { required: ['value'] }],
  },
}

const httpTypes = ['streamable-http', 'sse']
const http = { url: { type: 'string', pattern: '^https?://[^\\s]+$' }, headers: listOf(keyValue) }

const localTransport = {
  type: 'object',
  required: ['type'],
  properties: { type: { enum: ['stdio', ...httpTypes] } },
  if: { properties: { type: { enum: httpTypes } } },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { required: ['url'], properties: http },
}

const remoteTransport = {
  type: 'object',
  required: ['type', 'url'],
  properties: { type: { enum: httpTypes }, ...http, variables },
}

const packageOfServer = {
  type: 'object',
  required: ['registryType', 'identifier', 'transport'],
  properties: {
    registryType: text,
    registryBaseUrl: uri,
    identifier: text,
    version: { type: 'string', minLength: 1, not: { const: 'latest' } },
    fileSha256: { type: 'string', pattern: '^[a-f0-9]{64}$' },
    runtimeHint: text,
    runtimeArguments: listOf(argument),
    packageArguments: listOf(argument),
    environmentVariables: listOf(keyValue),
    transport: localTransport,
  },
}

const icon = {
  type: 'object',
  required: ['src'],
  properties: {
    src: { ...uri, maxLength: 255 },
    mimeType: { enum: ['image/png', 'image/jpeg', 'image/jpg', 'image/svg+xml', 'image/webp'] },
    sizes: listOf({ type: 'string', pattern: '^(\\d+x\\d+|any)$' }),
    theme: { enum: ['light', 'dark'] },
  },
}

// `name`, `description` and `version` are required, too. Checks of `package.json` report if they are missing.
const server = {
  type: 'object',
  properties: {
    $schema: uri,
    name: { type: 'string', minLength: 3, maxLength: 200, pattern: '^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$' },
    title: { type: 'string', minLength: 1, maxLength: 100 },
    description: { type: 'string', minLength: 1, maxLength: 100 },
    version: { type: 'string', maxLength: 255 },
    websiteUrl: uri,
    repository: {
      type: 'object',
      required: ['url', 'source'],
      properties: { url: uri, source: text, id: text, subfolder: text },
    },
    icons: listOf(icon),
    packages: listOf(packageOfServer),
    remotes: listOf(remoteTransport),
    _meta: {
      type: 'object',
      properties: { 'io.modelcontextprotocol.registry/publisher-provided': { type: 'object' } },
    },
  },
}

/** Returns what is wrong in a `server.json`: `'packages/0/transport' is missing required property 'type'`. */
export function findSchemaErrors(value: unknown): readonly string[] {
  const schema = compileTypeBox(server, 'output')
  return schema.check(value) ? [] : schema.errors(value).map((error) => describeErrors([error], value, 'the file'))
}
