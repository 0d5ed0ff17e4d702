import { startApi } from './support/api.js'
import { documentOf, operationOf, serveDocument } from './support/serve.js'

function bodyOf(content: Record<string, unknown>, more: Record<string, unknown> = {}): Record<string, unknown> {
  return operationOf({ requestBody: { content, ...more } }, '/things', 'post')
}

const thing = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    size: { type: 'integer' },
    tags: { type: 'array', items: { type: 'string' } },
  },
  required: ['name'],
}

/** Reads a form as a server does. */
async function readForm(
  contentType: string,
  body: Buffer,
): Promise<[string, string | { name: string; type: string; bytes: Buffer }][]> {
  const form = await new Response(body, { headers: { 'content-type': contentType } }).formData()
  return Promise.all(
    [...form].map(async ([key, value]) => [
      key,
      typeof value === 'string'
        ? value
        : { name: value.name, type: value.type, bytes: Buffer.from(await value.arrayBuffer()) },
    ]),
  )
}

describe('a JSON body', () => {
  it('is written from one argument for each property', async () => {
    await using api = await startApi()
    await using served = await serveDocument({ document: bodyOf({ 'application/json': { schema: thing } }) }, api)
    const { tools } = await served.client.listTools()
    expect(tools[0]?.inputSchema).toMatchObject({ properties: thing.properties, required: ['name'] })

    await served.call('call', { name: 'x', tags: ['a'] })
    const { headers, body } = api.only()
    expect([headers['content-type'], JSON.parse(body.toString())]).toEqual([
      'application/json',
      { name: 'x', tags: ['a'] },
    ])
  })

  it.each([
    ['a list', { type: 'array', items: { type: 'integer' } }, [1, 2]],
    ['a choice', { oneOf: [{ type: 'object', properties: { a: {} } }, { type: 'string' }] }, 'text'],
    ['a map', { type: 'object', additionalProperties: { type: 'integer' } }, { a: 1 }],
    [
      'a map with properties',
      { type: 'object', properties: { a: {} }, additionalProperties: { type: 'integer' } },
      { b: 1 },
    ],
    ['anything', {}, { a: [null] }],
    ['a choice of its properties', { type: 'object', properties: { a: {} }, oneOf: [{ required: ['a'] }] }, { a: 1 }],
  ])('that is %s is the argument body', async (_, schema, value) => {
    await using api = await startApi()
    await using served = await serveDocument(
      { document: bodyOf({ 'application/json': { schema } }, { required: true }) },
      api,
    )
    const { tools } = await served.client.listTools()
    expect(tools[0]?.inputSchema.required).toEqual(['body'])
    await served.call('call', { body: value })
    expect(JSON.parse(api.only().body.toString())).toEqual(value)
  })

  it.each([
    [
      'allOf',
      {
        allOf: [{ $ref: '#/components/schemas/Base' }, { type: 'object', properties: { b: {} }, required: ['b', 'a'] }],
      },
      ['a', 'b'],
    ],
    ['a reference', { $ref: '#/components/schemas/Base' }, []],
    [
      'a choice of required properties',
      { ...thing, anyOf: [{ required: ['size'] }, { required: ['tags'] }] },
      ['name'],
    ],
  ])('of %s is flattened', async (_, schema, required) => {
    const components = { schemas: { Base: { type: 'object', properties: { a: { type: 'string' } } } } }
    const document = documentOf(
      { '/x': { post: { operationId: 'call', requestBody: { content: { 'application/json': { schema } } } } } },
      { components },
    )
    await using served = await serveDocument({ document, baseUrl: 'https://api.example.com' }, null)
    const { tools } = await served.client.listTools()
    expect((tools[0]?.inputSchema.required ?? []).toSorted()).toEqual(required)
    expect(Object.keys(tools[0]?.inputSchema.properties ?? {})).not.toContain('body')
  })

  it.each([
    ['without required', {}, ['name'], '{"name":"x"}'],
    ['that is required', { required: true }, ['name'], '{"name":"x"}'],
    ['that is optional', { required: false }, undefined, ''],
  ])('%s has required properties (%j)', async (_, more, required, sent) => {
    await using api = await startApi()
    await using served = await serveDocument({ document: bodyOf({ 'application/json': { schema: thing } }, more) }, api)
    const { tools } = await served.client.listTools()
    expect(tools[0]?.inputSchema.required).toEqual(required)
    await served.call('call', required === undefined ? {} : { name: 'x' })
    expect(api.only().body.toString()).toBe(sent)
  })

  it('is preferred over other types', async () => {
    await using api = await startApi()
    const schema = { type: 'object', properties: { a: { type: 'string' } } }
    const content = {
      'text/xml': { schema },
      'application/x-www-form-urlencoded': { schema },
      'application/merge-patch+json': { schema },
    }
    await using served = await serveDocument({ document: bodyOf(content) }, api)
    await served.call('call', { a: 'x' })
    expect(api.only()).toMatchObject({
      headers: { 'content-type': 'application/merge-patch+json' },
      body: Buffer.from('{"a":"x"}'),
    })
  })

  it('keeps null, which is a value', async () => {
    const schema = { type: 'object', properties: { a: { type: ['string', 'null'] } } }
    await using api = await startApi()
    await using served = await serveDocument({ document: bodyOf({ 'application/json': { schema } }) }, api)
    await served.call('call', { a: null })
    expect(api.only().body.toString()).toBe('{"a":null}')
  })

  it('does not contain the defaults of properties that were left out', async () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'string' }, archived: { type: 'boolean', default: false } },
    }
    await using api = await startApi()
    await using served = await serveDocument({ document: bodyOf({ 'application/json': { schema } }) }, api)
    const { tools } = await served.client.listTools()
    expect(tools[0]?.inputSchema.properties?.['archived']).toEqual({ type: 'boolean', description: 'Default: false.' })
    await served.call('call', { a: 'x' })
    expect(api.only().body.toString()).toBe('{"a":"x"}')
  })
})

describe('a form body', () => {
  it('is written by the style of each property', async () => {
    const schema = {
      type: 'object',
      properties: {
        a: { type: 'string' },
        list: { type: 'array' },
        joined: { type: 'array' },
        deep: { type: 'object' },
        json: { type: 'object' },
      },
    }
    const encoding = { joined: { style: 'form', explode: false }, deep: { style: 'deepObject', explode: true } }
    await using api = await startApi()
    await using served = await serveDocument(
      { document: bodyOf({ 'application/x-www-form-urlencoded': { schema, encoding } }) },
      api,
    )
    await served.call('call', {
      a: 'x y&z',
      list: [1, 2],
      joined: ['a', 'b'],
      deep: { k: { n: 1 }, l: ['m'] },
      json: { b: 1 },
    })
    const { headers, body } = api.only()
    expect(headers['content-type']).toBe('application/x-www-form-urlencoded')
    expect(body.toString()).toBe(
      'a=x%20y%26z&list=1&list=2&joined=a,b&deep%5Bk%5D%5Bn%5D=1&deep%5Bl%5D%5B0%5D=m&json=%7B%22b%22%3A1%7D',
    )
  })

  it('has an argument for each property, instead of none', async () => {
    const content = { 'application/x-www-form-urlencoded': { schema: thing } }
    await using served = await serveDocument({ document: bodyOf(content), baseUrl: 'https://api.example.com' }, null)
    const { tools } = await served.client.listTools()
    expect(Object.keys(tools[0]?.inputSchema.properties ?? {})).toEqual(['name', 'size', 'tags'])
  })
})

describe('a multipart body', () => {
  const schema = {
    type: 'object',
    properties: {
      title: { type: 'string' },
      photo: { type: 'string', format: 'binary' },
      scan: { type: 'string', contentEncoding: 'base64' },
      extra: { type: 'array', items: { type: 'string', format: 'binary' } },
      meta: { type: 'object' },
    },
    required: ['photo'],
  }

  it('contains real files with names and types', async () => {
    const encoding = { photo: { contentType: 'image/png' } }
    await using api = await startApi()
    await using served = await serveDocument({ document: bodyOf({ 'multipart/form-data': { schema, encoding } }) }, api)
    const result = await served.call('call', {
      title: 'A "b"',
      photo: { data: Buffer.from([137, 0, 255]).toString('base64'), name: 'x".png' },
      scan: { text: 'plain', type: 'text/csv' },
      extra: [
        { text: 'one', name: '1.txt' },
        { data: 'dHdv', name: '2.bin' },
      ],
      meta: { a: 1 },
    })
    expect(result.isError).not.toBe(true)
    const { headers, body } = api.only()
    expect(await readForm(headers['content-type'] as string, body)).toEqual([
      ['title', 'A "b"'],
      ['photo', { name: 'x".png', type: 'image/png', bytes: Buffer.from([137, 0, 255]) }],
      ['scan', { name: 'scan', type: 'text/csv', bytes: Buffer.from('plain') }],
      ['extra', { name: '1.txt', type: 'text/plain; charset=utf-8', bytes: Buffer.from('one') }],
      ['extra', { name: '2.bin', type: 'application/octet-stream', bytes: Buffer.from('two') }],
      ['meta', '{"a":1}'],
    ])
    expect(body.toString()).toContain('name="meta"\r\nContent-Type: application/json')
  })

  it.each([
    [{ name: 'x' }, /'photo' is a file. Give either its 'text', or its bytes/],
    [{ text: 'a', data: 'YQ==' }, /'photo' is a file/],
    [{ data: 'not base64!' }, /'photo.data' is not base64/],
    [{ text: 'a', type: 'text/plain\r\nX: y' }, /'photo.type' is no media type/],
  ])('is not sent with a wrong file: %j', async (photo, message) => {
    await using api = await startApi()
    await using served = await serveDocument({ document: bodyOf({ 'multipart/form-data': { schema } }) }, api)
    expect(await served.text('call', { photo })).toMatch(message)
    expect(api.received).toEqual([])
  })

  it('cannot be broken by the name of a file', async () => {
    await using api = await startApi()
    await using served = await serveDocument({ document: bodyOf({ 'multipart/form-data': { schema } }) }, api)
    await served.call('call', { photo: { text: 'a', name: 'x"\r\nContent-Type: text/html\r\n\r\n' } })
    const { headers, body } = api.only()
    expect((await readForm(headers['content-type'] as string, body)).map(([name]) => name)).toEqual(['photo'])
    expect(body.toString()).not.toContain('text/html\r\n')
  })
})

describe('a body of bytes', () => {
  it.each([
    ['application/octet-stream', { type: 'string', format: 'binary' }],
    ['image/png', {}],
    ['application/pdf', { type: 'string', contentMediaType: 'application/pdf' }],
  ])('is given as base64: %s', async (type, schema) => {
    await using api = await startApi()
    await using served = await serveDocument({ document: bodyOf({ [type]: { schema } }, { required: true }) }, api)
    const { tools } = await served.client.listTools()
    expect(tools[0]?.inputSchema).toMatchObject({
      properties: { body: { contentEncoding: 'base64' } },
      required: ['body'],
    })
    await served.call('call', { body: Buffer.from([0, 255, 10]).toString('base64') })
    expect(api.only()).toMatchObject({ headers: { 'content-type': type }, body: Buffer.from([0, 255, 10]) })
  })

  it('is not sent if it is not base64', async () => {
    await using api = await startApi()
    await using served = await serveDocument({ document: bodyOf({ 'application/octet-stream': {} }) }, api)
    expect(await served.text('call', { body: 'ü!' })).toMatch(/'body' is not base64/)
    expect(api.received).toEqual([])
  })
})

describe('other bodies', () => {
  it('of text are sent as they are', async () => {
    await using api = await startApi()
    await using served = await serveDocument(
      { document: bodyOf({ 'text/markdown': { schema: { type: 'string' } } }) },
      api,
    )
    await served.call('call', { body: '# ü' })
    expect(api.only()).toMatchObject({ headers: { 'content-type': 'text/markdown' }, body: Buffer.from('# ü') })
  })

  it('that a model cannot write are left out, with the reason', async () => {
    const good = { operationId: 'good' }
    const bad = { operationId: 'bad', requestBody: { content: { 'application/xml': { schema: thing } } } }
    const document = documentOf({ '/good': { get: good }, '/bad': { post: bad } })
    await using served = await serveDocument({ document, baseUrl: 'https://api.example.com' }, null)
    expect(served.server.explain().sources[0]?.leftOut).toEqual([
      { origin: 'POST /bad', reason: 'its body is application/xml, which a model cannot write' },
    ])
  })
})

describe('arguments with equal names', () => {
  it('of different places get the place, and none overwrites another', async () => {
    const document = operationOf(
      {
        parameters: [
          { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
          { name: 'values', in: 'query', schema: { type: 'string' } },
        ],
        requestBody: {
          content: {
            'application/json': { schema: { type: 'object', properties: { id: {}, values: {} }, required: ['id'] } },
          },
        },
      },
      '/things/{id}',
      'put',
    )
    await using api = await startApi()
    await using served = await serveDocument({ document }, api)
    const { tools } = await served.client.listTools()
    expect(Object.keys(tools[0]?.inputSchema.properties ?? {})).toEqual([
      'id_path',
      'values_query',
      'id_body',
      'values_body',
    ])
    expect(tools[0]?.inputSchema.required).toEqual(['id_path', 'id_body'])
    await served.call('call', { id_path: '1', id_body: 2, values_query: 'a', values_body: 'b' })
    const { url, body } = api.only()
    expect([url, JSON.parse(body.toString())]).toEqual(['/things/1?values=a', { id: 2, values: 'b' }])
  })

  it('that vendors reject are renamed, and stay apart', async () => {
    const names = ['page[size]', 'page_size', '$filter', 'X-Id', '__proto__', 'constructor', '日本', 'n'.repeat(80)]
    const parameters = names.map((name) => ({ name, in: 'query', schema: { type: 'string' } }))
    await using api = await startApi()
    await using served = await serveDocument({ document: operationOf({ parameters }) }, api)
    const { tools } = await served.client.listTools()
    const keys = Object.keys(tools[0]?.inputSchema.properties ?? {})
    expect(keys).toHaveLength(names.length)
    expect(keys.every((key) => /^[A-Za-z0-9_.-]{1,64}$/.test(key))).toBe(true)
    expect(keys.slice(1, 4)).toEqual(['page_size', 'filter', 'X-Id'])

    await served.call('call', Object.fromEntries(keys.map((key, index) => [key, String(index)])))
    const { searchParams } = new URL(api.only().url, 'http://api')
    expect([...searchParams]).toEqual(names.map((name, index) => [name, String(index)]))
  })
})
