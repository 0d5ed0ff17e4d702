import { McpTool, type Static, Type } from 'toolwright'

/**
 * Plain JSON Schema: clients get it unchanged, and the server enforces all of
 * it.
 */
const contactSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: {
    properties: { contactMethod: { const: 'phone' } },
    required: ['contactMethod'],
  },
  // oxlint-disable-next-line unicorn/no-thenable
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
}

interface Contact {
  readonly name?: string
  readonly phone?: string
  readonly email?: string
}

const Weather = Type.Object({
  city: Type.String(),
  celsius: Type.Number(),
  sky: Type.Union([
    Type.Literal('clear'),
    Type.Literal('cloudy'),
    Type.Literal('rain'),
  ]),
})

const Primes = Type.Array(Type.Integer())

/**
 * Results with a schema, and arguments with a schema that TypeScript types
 * cannot express.
 */
export class SchemaTools {
  @McpTool('json_schema_2020_12_tool', {
    description: 'Takes arguments with many keywords of JSON Schema 2020-12',
    inputSchema: contactSchema,
  })
  contact({ name = 'somebody', phone, email }: Contact): string {
    return `Reached ${name} at ${phone ?? email}.`
  }

  @McpTool('test_structured_object', {
    description: 'Returns an object that fits its schema',
    output: Weather,
  })
  structuredObject(): Static<typeof Weather> {
    return { city: 'Reykjavik', celsius: 4.5, sky: 'rain' }
  }

  @McpTool('test_structured_array', {
    description: 'Returns an array that fits its schema',
    output: Primes,
  })
  structuredArray(): Static<typeof Primes> {
    return [2, 3, 5, 7, 11]
  }
}
