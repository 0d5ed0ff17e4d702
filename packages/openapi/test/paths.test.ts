import { startApi } from './support/api.js'
import { operationOf, serveDocument } from './support/serve.js'

const users = operationOf(
  { parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }] },
  '/users/{id}/orders',
)

/** Spellings of a path that leads out of `/v1/public/users/`, for lenient servers as well. */
const climbing = [
  '..',
  '.',
  '../admin',
  '../../admin',
  '..\\admin',
  './admin',
  'a/../../b',
  'a/..',
  'a\\..\\..\\b',
  '/..',
  '\\..',
  '%2e%2e',
  '%2E%2E',
  '.%2e',
  '%2e.',
  '%2e',
  '%2e%2e%2fadmin',
  '..%2fadmin',
  '..%5cadmin',
  '%2e%2e%5cadmin',
  '%252e%252e',
  '%252e%252e%252fadmin',
  '%25252e%25252e',
  '..%252fadmin',
  '%c0%ae%c0%ae',
  '%c0%ae%c0%ae%c0%afadmin',
  '%e0%80%ae%e0%80%ae/',
  '..;/admin',
  '..;a=b/admin',
  '%2e%2e;/admin',
  '..%3b/admin',
  '.. /admin',
  ' ..',
  '.. ',
  '..%00/admin',
  '..\0',
  '．．',
  '．．／admin',
  '․․',
  '..∕admin',
  '..⁄admin',
  '..?x',
  '..#x',
  '%u002e%u002e',
  '..​',
  '\xA0..',
  '..%20',
  '%2e%2e%20/',
]

describe('an argument of the path', () => {
  it.each(climbing)('is refused if it leads to another path: %j', async (id) => {
    await using api = await startApi()
    await using served = await serveDocument({ document: users, baseUrl: `${api.url}/v1/public` }, api)
    const result = await served.call('call', { id })

    expect(result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^'id' has a path segment '.' or '..'/) }],
    })
    expect(api.received).toEqual([])
  })

  it.each([
    ['', /'id' is empty/],
    ['a\nb', /'id' contains a line break/],
    ['a\r\nHost: evil', /'id' contains a line break/],
    ['a\u0000', /'id' contains a line break or a control character/],
  ])('is refused if it is %j', async (id, message) => {
    await using api = await startApi()
    await using served = await serveDocument({ document: users }, api)
    expect(await served.text('call', { id })).toMatch(message)
    expect(api.received).toEqual([])
  })

  it.each([
    ['a/b', '/users/a%2Fb/orders'],
    ['src/index.ts', '/users/src%2Findex.ts/orders'],
    ['..a', '/users/..a/orders'],
    ['a..b', '/users/a..b/orders'],
    ['...', '/users/.../orders'],
    ['?x=1#y', '/users/%3Fx%3D1%23y/orders'],
    ['100%', '/users/100%25/orders'],
    ['é ü', '/users/%C3%A9%20%C3%BC/orders'],
    ['//evil.example', '/users/%2F%2Fevil.example/orders'],
    ['@evil.example', '/users/%40evil.example/orders'],
    ["!*'()", '/users/%21%2A%27%28%29/orders'],
    ['a\ud800', '/users/a%EF%BF%BD/orders'],
  ])('stays one segment: %j', async (id, url) => {
    await using api = await startApi()
    await using served = await serveDocument({ document: users }, api)
    await served.call('call', { id })
    expect(api.only().url).toBe(url)
  })
})

describe('two arguments of one segment', () => {
  const dotted = operationOf(
    {
      parameters: ['a', 'b'].map((name) => ({
        name,
        in: 'path',
        required: true,
        schema: { type: 'array', items: { type: 'string' } },
      })),
    },
    '/users/{a}{b}/orders',
  )

  it('are refused if both together lead to another path', async () => {
    const text = operationOf(
      { parameters: ['a', 'b'].map((name) => ({ name, in: 'path', required: true, style: 'label', schema: {} })) },
      '/users/{a}{b}/orders',
    )
    await using api = await startApi()
    await using served = await serveDocument({ document: text }, api)
    // The style `label` begins each value with a dot.
    expect(await served.text('call', { a: [''], b: [''] })).toMatch(/empty|another path/)
    expect(api.received).toEqual([])
  })

  it('are refused if a list is empty', async () => {
    await using api = await startApi()
    await using served = await serveDocument({ document: dotted }, api)
    expect(await served.text('call', { a: [], b: ['x'] })).toMatch(/'a' is empty/)
    expect(api.received).toEqual([])
  })
})

describe('a path of the document', () => {
  it.each([
    ['/../admin', /segment '.' or '..'/],
    ['/a/%2e%2e/b', /segment '.' or '..'/],
    ['/a\\..\\b', /segment '.' or '..'|characters/],
    ['/a?x=1', /contains '\?' or '#'/],
    ['/a#x', /contains '\?' or '#'/],
    ['/a b', /characters that URLs do not have/],
    ['a', /does not begin with '\/'/],
  ])('is left out if it is %j', async (path, reason) => {
    const document = operationOf({}, path)
    await expect(serveDocument({ document, baseUrl: 'https://api.example.com' }, null)).rejects.toThrow(reason)
  })

  it('with two slashes stays at the same host', async () => {
    await using api = await startApi()
    await using served = await serveDocument({ document: operationOf({}, '//evil.example/x') }, api)
    await served.call('call')
    expect(api.only().url).toBe('//evil.example/x')
  })
})

describe('an argument of a header', () => {
  const headers = operationOf({ parameters: [{ name: 'X-Trace', in: 'header', schema: { type: 'string' } }] })

  it.each(['a\r\nX-Admin: 1', 'a\nb', 'a\u0000b'])(
    'is refused with a line break or a control character: %j',
    async (value) => {
      await using api = await startApi()
      await using served = await serveDocument({ document: headers }, api)
      expect(await served.text('call', { 'X-Trace': value })).toMatch(
        /^'X-Trace' contains a line break or a control character/,
      )
      expect(api.received).toEqual([])
    },
  )

  it.each(['Authorization', 'Host', 'Cookie', 'X-Forwarded-For', 'Content-Length', 'Proxy-Authorization'])(
    'is not taken from the document if the header is %s',
    async (name) => {
      await using api = await startApi()
      const document = operationOf({ parameters: [{ name, in: 'header', required: true, schema: { type: 'string' } }] })
      await using served = await serveDocument({ document }, api)
      const { tools } = await served.client.listTools()
      expect(tools[0]?.inputSchema.properties).toEqual({})
    },
  )
})
