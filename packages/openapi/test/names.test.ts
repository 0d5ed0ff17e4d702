import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { OpenApiOptions } from '@toolwright/openapi'
import { startApi } from './support/api.js'
import { documentOf, serveDocument } from './support/serve.js'

type Paths = Record<string, Record<string, object>>

/** Returns the names of the tools, by method and path. */
async function namesOf(paths: Paths, options: Partial<OpenApiOptions> = {}): Promise<Record<string, string>> {
  const document = documentOf(paths)
  await using served = await serveDocument(
    { document, baseUrl: 'https://api.example.com', maxTools: 1000, ...options },
    null,
  )
  const added = served.server.explain().sources[0]?.added ?? []
  return Object.fromEntries(added.map(({ origin, feature }) => [origin, /'(.*)'/.exec(feature)?.[1] ?? '']))
}

const long = 'list_all_the_things_of_an_organization_that_somebody_can_see_with_their_parents'

describe('names of tools', () => {
  it.each([
    ['operationId', { '/a': { get: { operationId: 'listOrders' } } }, 'listOrders'],
    ['characters that vendors reject', { '/a': { get: { operationId: 'repos/list for:org' } } }, 'repos_list_for_org'],
    ['no operationId', { '/orders/{id}/items': { get: {} } }, 'get_orders_id_items'],
  ])('are made from %s', async (_, paths, name) => {
    expect(Object.values(await namesOf(paths))).toEqual([name])
  })

  it('have at most 64 characters with the prefix, and stay different', async () => {
    const paths = { '/a': { get: { operationId: `${long}_1` } }, '/b': { get: { operationId: `${long}_2` } } }
    const names = Object.values(await namesOf(paths, { prefix: 'a_rather_long_prefix_' }))
    expect(new Set(names).size).toBe(2)
    for (const name of names) expect(name).toMatch(/^a_rather_long_prefix_list_all_[\w]{1,43}_[0-9a-f]{8}$/)
    for (const name of names) expect(name.length).toBeLessThanOrEqual(64)
  })

  it('that clash get their tag, and then a hash', async () => {
    const byTag = {
      '/a': { get: { operationId: 'get one', tags: ['users'] } },
      '/b': { get: { operationId: 'get/one', tags: ['orders'] } },
    }
    expect(await namesOf(byTag)).toEqual({ 'GET /a': 'users_get_one', 'GET /b': 'orders_get_one' })
    const same = await namesOf({
      '/a': { get: { operationId: 'one' } },
      '/b': { get: { operationId: 'o:ne' } },
      '/c': { get: { operationId: 'o/ne' } },
    })
    expect(same['GET /a']).toBe('one')
    expect(same['GET /b']).toMatch(/^o_ne_[0-9a-f]{8}$/)
    expect(same['GET /c']).toMatch(/^o_ne_[0-9a-f]{8}$/)
  })

  it('do not change when operations are added before or after', async () => {
    const paths: Paths = {
      '/b': { get: { operationId: 'listOrders' }, post: { operationId: 'orders/create' } },
      '/c': { get: { operationId: long } },
      '/d/{id}': { get: {} },
    }
    const before = await namesOf(paths)
    const more = await namesOf({
      '/a': { get: { operationId: `${long}s` } },
      ...paths,
      '/d': { get: {} },
      '/e': { get: { operationId: 'ordersList' } },
    })
    expect(more).toMatchObject(before)
    expect(new Set(Object.values(more)).size).toBe(7)
  })

  it('of a valid operationId stay when another operation would get the same name', async () => {
    const names = await namesOf({
      '/a': { get: { operationId: 'orders/list' } },
      '/b': { get: { operationId: 'orders_list' } },
    })
    expect(names['GET /b']).toBe('orders_list')
    expect(names['GET /a']).not.toBe('orders_list')
  })

  it.each([
    ['an object', { 'orders/list': 'orders', 'DELETE /a': 'remove' }],
    [
      'a function',
      ({ method }: { readonly method: string }) =>
        method === 'GET' ? 'orders' : method === 'DELETE' ? 'remove' : undefined,
    ],
  ])('can be chosen by %s', async (_, rename) => {
    const paths = { '/a': { get: { operationId: 'orders/list' }, delete: {}, put: { operationId: 'put' } } }
    expect(await namesOf(paths, { rename })).toEqual({ 'GET /a': 'orders', 'DELETE /a': 'remove', 'PUT /a': 'put' })
  })

  it('that are taken by another feature are a problem at boot', async () => {
    const boot = serveDocument(
      {
        document: documentOf({ '/a': { get: { operationId: 'mine' } } }),
        baseUrl: 'https://api.example.com',
        rename: () => 'not valid',
      },
      null,
    )
    await expect(boot).rejects.toThrow(/'not valid' is not a valid tool name/)
  })
})

describe('include', () => {
  const paths = {
    '/a': { get: { operationId: 'a', tags: ['x'] }, delete: { operationId: 'da', tags: ['x'] } },
    '/b': {
      get: { operationId: 'b', tags: ['y'], deprecated: true, 'x-mcp': { enabled: false } },
      post: { operationId: 'pb' },
    },
  }

  it.each<[string, OpenApiOptions['include'], string[]]>([
    ['tags', { tags: ['x'] }, ['a', 'da']],
    ['methods', { methods: ['get'] }, ['a', 'b']],
    ['tags and methods', { tags: ['x'], methods: ['DELETE'] }, ['da']],
    ['names', { operations: ['a', 'POST /b'] }, ['a', 'pb']],
    ['deprecated', { deprecated: false }, ['a', 'da', 'pb']],
    ['a function that sees extensions', ({ extensions }) => extensions['x-mcp'] === undefined, ['a', 'da', 'pb']],
    ['nothing', undefined, ['a', 'da', 'b', 'pb']],
  ])('selects operations by %s', async (_, include, names) => {
    expect(Object.values(await namesOf(paths, { include }))).toEqual(names)
  })

  it('lists what was left out, and why', async () => {
    const document = documentOf({ ...paths, '/c': { head: {}, options: {}, trace: {} } })
    await using served = await serveDocument(
      { document, baseUrl: 'https://api.example.com', include: { tags: ['x'], methods: ['GET'] } },
      null,
    )
    const { sources } = served.server.explain()
    expect(sources[0]?.leftOut).toEqual([
      { origin: 'HEAD /c', reason: 'HEAD operations are no tools' },
      { origin: 'OPTIONS /c', reason: 'OPTIONS operations are no tools' },
      { origin: 'TRACE /c', reason: 'TRACE operations are no tools' },
      { origin: 'DELETE /a', reason: 'not included' },
      { origin: 'GET /b', reason: 'not included' },
      { origin: 'POST /b', reason: 'not included' },
    ])
  })

  it('marks deprecated operations', async () => {
    await using served = await serveDocument({ document: documentOf(paths), baseUrl: 'https://api.example.com' }, null)
    const { tools } = await served.client.listTools()
    expect(tools.find(({ name }) => name === 'b')?.description).toBe('Deprecated. GET /b')
  })
})

describe('servers', () => {
  it.each([
    ['of the document', { servers: [{ url: '@/doc' }] }, {}, {}, '/doc/x'],
    ['of the path', { servers: [{ url: '@/doc' }] }, { servers: [{ url: '@/path' }] }, {}, '/path/x'],
    [
      'of the operation',
      { servers: [{ url: '@/doc' }] },
      { servers: [{ url: '@/path' }] },
      { servers: [{ url: '@/own/' }] },
      '/own/x',
    ],
    [
      'with variables',
      { servers: [{ url: '@/{version}', variables: { version: { default: 'v2', enum: ['v1', 'v2'] } } }] },
      {},
      {},
      '/v2/x',
    ],
  ])('%s are used', async (_, root, path, operation, url) => {
    await using api = await startApi()
    const at = <Value>(value: Value): Value =>
      JSON.parse(JSON.stringify(value).replaceAll('"@', `"${api.url}`)) as Value
    const document = documentOf({ '/x': { ...at(path), get: { operationId: 'call', ...at(operation) } } }, at(root))
    await using served = await serveDocument({ document, allowPrivate: ['127.0.0.1'] }, null)
    await served.call('call')
    expect(api.only().url).toBe(url)
  })

  it('that are relative are resolved against the URL of the document', async () => {
    const document = documentOf({ '/x': { get: { operationId: 'call' } } }, { servers: [{ url: '/api/v3' }] })
    await using api = await startApi(() => ({ body: JSON.stringify(document) }))
    await using served = await serveDocument(
      { document: `${api.url}/docs/openapi.json`, allowRemote: true, allowPrivate: ['127.0.0.1'] },
      null,
    )
    await served.call('call')
    expect(api.received.map(({ url }) => url)).toEqual(['/docs/openapi.json', '/api/v3/x'])
  })

  it.each([
    [
      'relative servers of a file',
      [{ url: '/api/v3' }],
      /its server '\/api\/v3' is no absolute URL. Set the option baseUrl/,
    ],
    ['no servers', undefined, /is no absolute URL. Set the option baseUrl/],
    [
      'a variable without a default',
      [{ url: 'https://{tenant}.example.com' }],
      /has a variable without a default|no absolute URL/,
    ],
    ['another scheme', [{ url: 'ftp://example.com' }], /is no http: or https: URL/],
  ])('are explained if the document has %s', async (_, servers, message) => {
    const document = documentOf({ '/x': { get: {} } }, servers === undefined ? {} : { servers })
    await expect(serveDocument({ document }, null)).rejects.toThrow(message)
  })

  it('are overruled by baseUrl', async () => {
    await using api = await startApi()
    const document = documentOf({
      '/x': { get: { operationId: 'call', servers: [{ url: 'https://other.example.com' }] } },
    })
    await using served = await serveDocument({ document, baseUrl: `${api.url}/base/` }, api)
    await served.call('call')
    expect(api.only().url).toBe('/base/x')
  })
})

describe('references to other documents', () => {
  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'openapi-'))
    await mkdir(join(folder, 'api', 'parts'), { recursive: true })
    await writeFile(join(folder, 'secret.yaml'), 'get: { operationId: secret }\n')
    await writeFile(
      join(folder, 'api', 'parts', 'thing.yaml'),
      'Thing: { type: object, properties: { size: { $ref: "./size.json#/Size" } } }\n',
    )
    await writeFile(join(folder, 'api', 'parts', 'size.json'), '{"Size":{"type":"integer"}}')
    await writeFile(
      join(folder, 'api', 'path.yaml'),
      'get: { operationId: call, parameters: [{ $ref: "parts/query.yaml" }] }\n',
    )
    await writeFile(
      join(folder, 'api', 'parts', 'query.yaml'),
      'name: q\nin: query\nschema: { $ref: "thing.yaml#/Thing" }\n',
    )
    await symlink(join(folder, 'secret.yaml'), join(folder, 'api', 'link.yaml'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  const write = async (reference: string): Promise<string> => {
    const path = join(folder, 'api', 'main.yaml')
    await writeFile(path, `openapi: 3.1.0\ninfo: {}\npaths:\n  /x: { $ref: '${reference}' }\n`)
    return path
  }

  it('below its folder are read', async () => {
    await using served = await serveDocument(
      { document: await write('path.yaml'), baseUrl: 'https://api.example.com' },
      null,
    )
    const { tools } = await served.client.listTools()
    expect(tools[0]?.inputSchema.properties).toEqual({
      q: { type: 'object', properties: { size: { type: 'integer' } } },
    })
  })

  it.each([
    ['../secret.yaml', /names a file outside the folder of the document/],
    ['link.yaml', /names a file outside the folder of the document/],
    ['/etc/hostname', /names a file outside the folder|names no file/],
    ['missing.yaml', /'missing.yaml' names no file/],
    ['https://example.com/x.yaml', /names another origin. Only the folder of the document is read/],
    ['http://169.254.169.254/latest', /names another origin/],
  ])('elsewhere are not read: %s', async (reference, message) => {
    await expect(
      serveDocument({ document: await write(reference), baseUrl: 'https://api.example.com' }, null),
    ).rejects.toThrow(message)
  })

  it('of a downloaded document are read from its origin only', async () => {
    const main = `openapi: 3.1.0\ninfo: {}\npaths:\n  /x: { $ref: 'path.yaml' }\n  /y: { $ref: 'file:///etc/hostname' }\n  /z: { $ref: 'http://127.0.0.2/z.yaml' }\n`
    await using api = await startApi(({ url }) => ({
      body: url === '/docs/main.yaml' ? main : 'get: { operationId: call }',
    }))
    await using served = await serveDocument(
      { document: `${api.url}/docs/main.yaml`, allowRemote: true, allowPrivate: ['127.0.0.1'] },
      null,
    )
    expect(api.received.map(({ url }) => url)).toEqual(['/docs/main.yaml', '/docs/path.yaml'])
    expect(served.server.explain().sources[0]).toMatchObject({
      added: [{ origin: 'GET /x' }],
      leftOut: [
        { origin: '/y', reason: expect.stringContaining('names a file') },
        { origin: '/z', reason: expect.stringContaining('names another origin') },
      ],
    })
  })

  it('of an object are not read', async () => {
    const boot = serveDocument(
      { document: documentOf({ '/x': { $ref: 'path.yaml' } }), baseUrl: 'https://api.example.com' },
      null,
    )
    await expect(boot).rejects.toThrow(/the document was given as an object. Give its path|none of the 0/)
  })
})
