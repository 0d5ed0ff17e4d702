import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { lanes } from '@toolwright/testing'
import { startApi } from './support/api.js'
import { documentOf, serveDocument, textOf } from './support/serve.js'

const order = {
  type: 'object',
  properties: { id: { type: 'string' }, total: { type: 'number' } },
  required: ['id'],
}
const shop = documentOf({
  '/orders/{id}': {
    parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
    get: {
      operationId: 'getOrder',
      summary: 'Returns an order',
      parameters: [{ name: 'expand', in: 'query', schema: { type: 'boolean' } }],
      responses: { 200: { description: 'ok', content: { 'application/json': { schema: order } } } },
    },
  },
})
const yaml = `
openapi: 3.1.0
info: { title: Shop, version: '1' }
paths:
  /orders/{id}:
    get:
      operationId: getOrder
      parameters:
        - { name: id, in: path, required: true, schema: { type: string } }
      responses:
        200: { description: ok }
`

describe.each(lanes)('tools of a document: $lane, $era', (lane) => {
  it('are listed, call the API, and return its answer', async () => {
    await using api = await startApi(() => ({ body: '{"id":"a b","total":3}' }))
    await using served = await serveDocument({ document: shop }, api, lane)
    const { tools } = await served.client.listTools()

    expect(tools).toMatchObject([
      {
        name: 'getOrder',
        description: 'Returns an order',
        annotations: { readOnlyHint: true },
        inputSchema: {
          type: 'object',
          properties: { id: { type: 'string' }, expand: { type: 'boolean' } },
          required: ['id'],
        },
      },
    ])
    const result = await served.call('getOrder', { id: 'a b', expand: true })
    expect(result).toMatchObject({ structuredContent: { id: 'a b', total: 3 } })
    expect(textOf(result)).toBe('{"id":"a b","total":3}')
    expect(api.only()).toMatchObject({ method: 'GET', url: '/orders/a%20b?expand=true' })
  })
})

describe('the document', () => {
  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'openapi-'))
    await writeFile(join(folder, 'shop.json'), JSON.stringify(shop))
    await writeFile(join(folder, 'shop.yaml'), yaml)
  })
  afterAll(() => rm(folder, { recursive: true }))

  it.each([
    ['a path of JSON', () => join(folder, 'shop.json')],
    ['a path of YAML', () => join(folder, 'shop.yaml')],
    ['a URL of a file', () => pathToFileURL(join(folder, 'shop.yaml'))],
  ])('is read from %s', async (_, document) => {
    await using api = await startApi()
    await using served = await serveDocument({ document: document() }, api)
    await served.call('getOrder', { id: '7' })
    expect(api.only().url).toBe('/orders/7')
  })

  it('is read from the network, if this is allowed', async () => {
    await using api = await startApi(({ url }) => ({ body: url === '/shop.yaml' ? yaml : '{}' }))
    const document = `${api.url}/shop.yaml`
    await using served = await serveDocument({ document, allowRemote: true, allowPrivate: ['127.0.0.1'] }, null)
    await served.call('getOrder', { id: '7' })
    expect(api.received.map(({ url }) => url)).toEqual(['/shop.yaml', '/orders/7'])
  })

  it.each([
    [
      'the network is not allowed',
      { document: 'https://example.com/shop.yaml' },
      /read from the network.*allowRemote: true/,
    ],
    [
      'its address is private',
      { document: 'http://127.0.0.1:8765/x.yaml', allowRemote: true },
      /'127.0.0.1' is not public.*allowPrivate/,
    ],
    ['the file does not exist', { document: '/missing/shop.yaml' }, /'\/missing\/shop.yaml' cannot be read/],
    ['it is Swagger 2.0', { document: { swagger: '2.0', paths: {} } }, /Swagger 2.0. Convert it to OpenAPI 3/],
    ['it has no version', { document: { paths: {} } }, /has no member 'openapi'/],
    ['it has no paths', { document: { openapi: '3.1.0' } }, /has no 'paths'/],
    ['it has no operations', { document: documentOf({}) }, /none of the 0 operations/],
  ])('is rejected at boot if %s', async (_, options, message) => {
    await expect(serveDocument(options, null)).rejects.toThrow(message)
  })

  it.each([
    [
      'JSON',
      'broken.json',
      '{\n  "openapi": "3.1.0",\n  "paths": {,}\n}',
      /broken.json', line 3, column \d+: .*Correct the JSON/,
    ],
    ['YAML', 'broken.yaml', 'openapi: 3.1.0\npaths:\n  - a\n b: [\n', /broken.yaml', line \d+, column \d+: /],
  ])('that is broken %s is explained with its line', async (_, name, text, message) => {
    await writeFile(join(folder, name), text)
    await expect(serveDocument({ document: join(folder, name) }, null)).rejects.toThrow(message)
  })

  it('is not read with wrong options, which are all reported', async () => {
    const boot = serveDocument({ document: '/missing.yaml', maxTools: 0, includes: [] } as never, null)
    await expect(boot).rejects.toThrow(/includes is not an option. Did you mean include\?[\s\S]*maxTools is 0/)
  })

  it('needs an explicit auth', async () => {
    const boot = serveDocument({ document: shop, auth: undefined }, null)
    await expect(boot).rejects.toThrow(
      /auth is undefined. Give 'none', a function that returns credentials, or exchange/,
    )
  })

  it('with more operations than maxTools is rejected', async () => {
    const paths = Object.fromEntries([1, 2, 3].map((number) => [`/p${number}`, { get: { operationId: `o${number}` } }]))
    await expect(
      serveDocument({ document: documentOf(paths), maxTools: 2, baseUrl: 'https://api.example.com' }, null),
    ).rejects.toThrow(
      /3 operations would become tools, and maxTools is 2.*select operations with include, or raise maxTools/,
    )
  })
})
