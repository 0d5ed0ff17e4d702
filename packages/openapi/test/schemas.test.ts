import { startApi } from './support/api.js'
import { documentOf, serveDocument } from './support/serve.js'

/** Returns the listed schemas of an operation whose body and answer have a schema. */
async function listSchemas(schema: unknown, schemas: Record<string, unknown> = {}, openapi = '3.1.0') {
  const content = { 'application/json': { schema } }
  const operation = {
    operationId: 'call',
    requestBody: { required: true, content },
    responses: { 200: { description: '', content } },
  }
  const document = { ...documentOf({ '/x': { post: operation } }, { components: { schemas } }), openapi }
  await using served = await serveDocument({ document, baseUrl: 'https://api.example.com' }, null)
  const [tool] = (await served.client.listTools()).tools
  const feature = served.server.explain().sources[0]?.added[0]?.feature
  return { input: tool?.inputSchema as never, output: tool?.outputSchema as never, feature }
}

/** Returns the schema of the argument `a`. */
async function listProperty(schema: unknown, openapi: string): Promise<unknown> {
  const { input } = await listSchemas({ type: 'object', properties: { a: schema } }, {}, openapi)
  return (input as { properties: Record<string, unknown> }).properties['a']
}

describe('schemas of OpenAPI 3.0', () => {
  it.each([
    ['nullable', { type: 'string', nullable: true }, { type: ['string', 'null'] }],
    [
      'nullable with enum',
      { type: 'string', enum: ['a'], nullable: true },
      { type: ['string', 'null'], enum: ['a', null] },
    ],
    [
      'nullable that has null in its enum',
      { type: 'string', enum: ['a', null], nullable: true },
      { type: ['string', 'null'], enum: ['a', null] },
    ],
    [
      'nullable with allOf',
      { nullable: true, allOf: [{ type: 'string' }] },
      { anyOf: [{ allOf: [{ type: 'string' }] }, { type: 'null' }] },
    ],
    ['nullable without a type', { nullable: true }, {}],
    ['nullable: false', { type: 'string', nullable: false }, { type: 'string' }],
    [
      'exclusive limits',
      { type: 'integer', minimum: 1, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false },
      { type: 'integer', exclusiveMinimum: 1, maximum: 9 },
    ],
    ['bytes', { type: 'string', format: 'byte' }, { type: 'string', contentEncoding: 'base64' }],
    [
      'members that JSON Schema does not have',
      { type: 'string', example: 'x', xml: { name: 'y' }, externalDocs: {}, 'x-go-name': 'Z' },
      { type: 'string' },
    ],
  ])('become schemas of JSON Schema 2020-12: %s', async (_, given, listed) => {
    expect(await listProperty(given, '3.0.3')).toEqual(listed)
  })
})

describe('schemas of OpenAPI 3.1', () => {
  it.each([
    ['several types', { type: ['string', 'null'] }, { type: ['string', 'null'] }],
    [
      'tuples',
      { type: 'array', prefixItems: [{ type: 'string' }], items: false },
      { type: 'array', prefixItems: [{ type: 'string' }], items: false },
    ],
    ['exclusive limits', { type: 'integer', exclusiveMinimum: 1 }, { type: 'integer', exclusiveMinimum: 1 }],
    [
      'dialects and identifiers',
      { $schema: 'https://example.com/x', $id: 'https://example.com/y', $anchor: 'z', type: 'string' },
      { type: 'string' },
    ],
  ])('are listed: %s', async (_, given, listed) => {
    expect(await listProperty(given, '3.1.0')).toEqual(listed)
  })
})

describe('mistakes of a document', () => {
  it.each([
    [
      'duplicate enum values',
      { type: 'string', enum: ['a', 'b', 'a'] },
      { type: 'string', enum: ['a', 'b'] },
      'duplicate enum values removed',
    ],
    ['an unknown type', { type: 'file' }, {}, 'unknown type "file" removed'],
    ['an invalid pattern', { type: 'string', pattern: '(?i)a' }, { type: 'string' }, 'invalid pattern removed'],
    ['a limit that is a string', { type: 'integer', minimum: '3' }, { type: 'integer' }, 'invalid minimum removed'],
    ['required of a property', { type: 'string', required: true }, { type: 'string' }, ''],
    ['a list without items', { type: 'array' }, { type: 'array', items: {} }, ''],
    ['an empty enum', { type: 'string', enum: [] }, { type: 'string' }, ''],
    [
      'a list as items',
      { type: 'array', items: [{ type: 'string' }] },
      { type: 'array', prefixItems: [{ type: 'string' }] },
      '',
    ],
  ])('are corrected, and explained: %s', async (_, given, listed, note) => {
    const { input, feature } = await listSchemas({ type: 'object', properties: { a: given } })
    expect((input as { properties: unknown }).properties).toEqual({ a: listed })
    expect(feature).toContain(note)
  })
})

describe('properties of one direction', () => {
  const schemas = {
    Thing: {
      type: 'object',
      properties: {
        id: { type: 'string', readOnly: true },
        state: { $ref: '#/components/schemas/State' },
        name: { type: 'string' },
        password: { type: 'string', writeOnly: true },
      },
      required: ['id', 'state', 'name', 'password'],
    },
    State: { type: 'string', readOnly: true },
  }

  it('are neither asked for nor promised in the other', async () => {
    const { input, output } = await listSchemas({ $ref: '#/components/schemas/Thing' }, schemas)
    expect(input).toEqual({
      type: 'object',
      properties: { name: { type: 'string' }, password: { type: 'string' } },
      required: ['name', 'password'],
      additionalProperties: false,
    })
    expect(output).toMatchObject({
      anyOf: [
        {
          properties: { id: { type: 'string' }, state: { type: 'string' }, name: { type: 'string' } },
          required: ['id', 'state', 'name'],
        },
        {},
      ],
    })
    expect(JSON.stringify(output)).not.toContain('password')
  })

  it('are left out of inner objects, too', async () => {
    const nested = {
      type: 'object',
      properties: { things: { type: 'array', items: { $ref: '#/components/schemas/Thing' } } },
    }
    const { input } = await listSchemas(nested, schemas)
    expect(input).toMatchObject({ properties: { things: { items: { required: ['name', 'password'] } } } })
    expect(JSON.stringify(input)).not.toContain('"id"')
  })
})

describe('references', () => {
  it('that end in themselves become $defs, which clients accept', async () => {
    const schemas = {
      Node: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          children: { type: 'array', items: { $ref: '#/components/schemas/Node' } },
        },
      },
    }
    const { input, output } = await listSchemas({ $ref: '#/components/schemas/Node' }, schemas)
    const node = {
      type: 'object',
      properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/Node' } } },
    }
    expect(input).toMatchObject({
      properties: { children: { items: { $ref: '#/$defs/Node' } } },
      $defs: { Node: node },
    })
    expect(output).toMatchObject({ anyOf: [{ $ref: '#/$defs/Node' }, {}], $defs: { Node: node } })
  })

  it('in a circle of several schemas end', async () => {
    const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
    const schemas = {
      A: { type: 'object', properties: { b: ref('B') } },
      B: { type: 'object', properties: { c: ref('C') } },
      C: { anyOf: [ref('A'), ref('B'), { type: 'string' }] },
    }
    const { input } = await listSchemas({ type: 'object', properties: { a: ref('A'), c: ref('C') } }, schemas)
    const text = JSON.stringify(input)
    const used = [...text.matchAll(/#\/\$defs\/(\w+)/g)].map(([, name]) => name)
    expect(used.length).toBeGreaterThan(0)
    expect(Object.keys((input as { $defs: object }).$defs)).toEqual(expect.arrayContaining([...new Set(used)]))
  })

  it('are relative to the document, also in a schema with another base', async () => {
    const schemas = {
      Owner: {
        $id: 'https://other.example/owner',
        type: 'object',
        properties: { pet: { $ref: '#/components/schemas/Pet' } },
      },
      Pet: { $anchor: 'pet', $schema: 'https://other.example/dialect', type: 'string', maxLength: 3 },
    }
    const { input } = await listSchemas(
      { type: 'object', properties: { owner: { $ref: '#/components/schemas/Owner' } } },
      schemas,
    )
    expect(input).toMatchObject({
      properties: { owner: { type: 'object', properties: { pet: { type: 'string', maxLength: 3 } } } },
    })
    expect(JSON.stringify(input)).not.toMatch(/\$id|\$anchor|\$schema|other\.example/)
  })

  it('that only name each other are left out, with the reason', async () => {
    const schemas = { A: { $ref: '#/components/schemas/B' }, B: { $ref: '#/components/schemas/A' } }
    await expect(listSchemas({ $ref: '#/components/schemas/A' }, schemas)).rejects.toThrow(
      /POST \/x: its references form a circle/,
    )
  })

  it('to nothing are left out, with the name', async () => {
    await expect(listSchemas({ $ref: '#/components/schemas/Gone' })).rejects.toThrow(
      /POST \/x: its \$ref '#\/components\/schemas\/Gone' names nothing: 'schemas'|'Gone' does not exist/,
    )
  })

  it('do not carry schemas that the tool does not use', async () => {
    const schemas = Object.fromEntries(
      Array.from({ length: 100 }, (_, index) => [`S${index}`, { type: 'object', properties: { [`p${index}`]: {} } }]),
    )
    const { input } = await listSchemas(
      { type: 'object', properties: { a: { $ref: '#/components/schemas/S7' } } },
      schemas,
    )
    expect(JSON.stringify(input)).not.toMatch(/p[0-68-9]/)
    expect(input).toMatchObject({ properties: { a: { properties: { p7: {} } } } })
  })

  it('of large schemas are written once', async () => {
    const Big = {
      type: 'object',
      properties: Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`field_${index}`, { type: 'string' }])),
    }
    const properties = Object.fromEntries(['a', 'b', 'c'].map((name) => [name, { $ref: '#/components/schemas/Big' }]))
    const { input } = await listSchemas({ type: 'object', properties }, { Big })
    expect(input).toMatchObject({ properties: { a: { $ref: '#/$defs/Big' }, c: { $ref: '#/$defs/Big' } } })
  })

  it('that double at each level stay small', async () => {
    const schemas = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => {
        const next = { $ref: `#/components/schemas/L${index + 1}` }
        return [
          `L${index}`,
          index === 39 ? { type: 'string' } : { type: 'object', properties: { left: next, right: next } },
        ]
      }),
    )
    const { input } = await listSchemas(
      { type: 'object', properties: { a: { $ref: '#/components/schemas/L0' } } },
      schemas,
    )
    expect(JSON.stringify(input).length).toBeLessThan(20_000)
  })

  it('differ from properties with the name $ref', async () => {
    const { input } = await listSchemas({
      type: 'object',
      properties: {
        target: {
          type: 'object',
          properties: { $ref: { type: 'string' }, const: { type: 'string' }, enum: { type: 'array' } },
        },
      },
    })
    expect(input).toMatchObject({
      properties: {
        target: { properties: { $ref: { type: 'string' }, const: { type: 'string' }, enum: { type: 'array' } } },
      },
    })
  })

  it('in schemas of properties that are called like keywords are resolved', async () => {
    const schemas = { Word: { type: 'string', maxLength: 9 } }
    const { input } = await listSchemas(
      {
        type: 'object',
        properties: {
          a: {
            type: 'object',
            properties: {
              const: { $ref: '#/components/schemas/Word' },
              default: { $ref: '#/components/schemas/Word' },
            },
          },
        },
      },
      schemas,
    )
    expect(input).toMatchObject({ properties: { a: { properties: { const: schemas.Word, default: schemas.Word } } } })
  })

  it('keep the members beside them', async () => {
    const schemas = { Word: { type: 'string', description: 'a word' } }
    const { input } = await listSchemas(
      { type: 'object', properties: { a: { $ref: '#/components/schemas/Word', description: 'mine', maxLength: 3 } } },
      schemas,
    )
    expect(input).toMatchObject({ properties: { a: { type: 'string', description: 'mine', maxLength: 3 } } })
  })

  it('with encoded names are resolved', async () => {
    const { input } = await listSchemas(
      { type: 'object', properties: { a: { $ref: '#/components/schemas/a~1b%20c' } } },
      { 'a/b c': { type: 'string' } },
    )
    expect(input).toMatchObject({ properties: { a: { type: 'string' } } })
  })

  it('that are nested too deeply leave out the operation', async () => {
    let schema: unknown = { type: 'string' }
    for (let level = 0; level < 500; level++) schema = { type: 'array', items: schema }
    await expect(listSchemas({ type: 'object', properties: { a: schema } })).rejects.toThrow(
      /nested more than 100 levels/,
    )
  })
})

describe('a discriminator', () => {
  const base = (mapping?: unknown) => ({
    type: 'object',
    properties: { kind: { type: 'string' }, name: { type: 'string' } },
    required: ['kind'],
    discriminator: { propertyName: 'kind', ...(mapping === undefined ? {} : { mapping }) },
  })
  const child = (property: string) => ({
    allOf: [{ $ref: '#/components/schemas/Pet' }, { type: 'object', properties: { [property]: { type: 'string' } } }],
  })

  it.each([
    ['with a mapping', base({ cat: '#/components/schemas/Cat', dog: 'Dog' }), ['cat', 'dog']],
    ['without a mapping', base(), ['Cat', 'Dog']],
  ])('lists its subtypes in a body: %s', async (_, Pet, values) => {
    const schemas = { Pet, Cat: child('claws'), Dog: child('bark') }
    await using api = await startApi()
    const content = { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } }
    const document = documentOf(
      { '/pets': { post: { operationId: 'call', requestBody: { required: true, content } } } },
      { components: { schemas } },
    )
    await using served = await serveDocument({ document }, api)
    const [tool] = (await served.client.listTools()).tools
    const body = tool?.inputSchema.properties?.['body'] as unknown as {
      readonly oneOf: readonly { readonly allOf: unknown[] }[]
    }

    expect(body.oneOf).toHaveLength(2)
    expect(JSON.stringify(body)).toMatch(/claws.*bark/)
    expect(body.oneOf.map(({ allOf }) => allOf.at(-1))).toEqual(
      values.map((value) => ({ properties: { kind: { const: value } }, required: ['kind'] })),
    )
    const good = await served.call('call', { body: { kind: values[0], name: 'x', claws: 'y' } })
    expect(good.isError).not.toBe(true)
    expect((await served.call('call', { body: { kind: 'fish' } })).isError).toBe(true)
    expect(api.received).toHaveLength(1)
  })
})
