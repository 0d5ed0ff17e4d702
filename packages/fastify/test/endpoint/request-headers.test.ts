import type { FastifyInstance } from 'fastify'
import {
  closeApps,
  connectTo,
  headersOf,
  legacyMessage,
  type Message,
  metaKeys,
  modernMessage,
  modernVersion,
  openApp,
  type TestClient,
  toolCall,
} from '../../../../test/support/client/index.js'

const route = {
  name: 'route',
  inputSchema: {
    type: 'object',
    properties: {
      region: { type: 'string', 'x-mcp-header': 'Region' },
      shard: { type: 'integer', 'x-mcp-header': 'Shard' },
      dry: { type: 'boolean', 'x-mcp-header': 'Dry-Run' },
      where: { type: 'object', properties: { zone: { type: 'string', 'x-mcp-header': 'Zone' } } },
      note: { type: 'string' },
    },
    additionalProperties: false,
  },
  handler: (args: unknown) => JSON.stringify(args),
}

const base64 = (text: string | Uint8Array): string => `=?base64?${Buffer.from(text).toString('base64')}?=`

let app: FastifyInstance
let modern: TestClient
let legacy: TestClient

beforeAll(async () => {
  app = await openApp({ tools: [route] })
  modern = connectTo(app)
  legacy = connectTo(app, { era: 'legacy' })
})

afterAll(closeApps)

/** Status and error code; `200 ok` for a result without an error. */
async function outcome(message: Message, headers: Record<string, string | undefined> = {}): Promise<string> {
  const { status, json } = await modern.send(message, headers)
  expect(json.id).toBe(1)
  if (json.error === undefined) return json.result.isError === true ? `${status} isError` : `${status} ok`
  return `${status} ${json.error.code}`
}

const mismatch = '400 -32020'
const served = '200 ok'

describe('the validation order of a modern request', () => {
  const unsupported = { [metaKeys.version]: 'v999.0.0' }
  const cases: [string, Message, Record<string, string | undefined>, string][] = [
    [
      'an incomplete _meta before headers that do not agree',
      modernMessage('tools/list', {}, { [metaKeys.capabilities]: undefined }),
      { 'mcp-protocol-version': '2025-06-18' },
      '400 -32602',
    ],
    [
      'headers that do not agree before a version that is not served',
      modernMessage('tools/list', {}, unsupported),
      { 'mcp-protocol-version': modernVersion },
      mismatch,
    ],
    [
      'a method that does not agree before a version that is not served',
      modernMessage('tools/list', {}, unsupported),
      { 'mcp-method': 'tools/call' },
      mismatch,
    ],
    [
      'a version that is not served before missing headers',
      modernMessage('tools/list', {}, unsupported),
      { 'mcp-method': undefined },
      '400 -32022',
    ],
    [
      'a version that is not served before a missing version header',
      modernMessage('tools/list', {}, unsupported),
      { 'mcp-protocol-version': undefined },
      '400 -32022',
    ],
    [
      'a version that is not served before a name that does not agree',
      modernMessage('tools/call', toolCall('route'), unsupported),
      { 'mcp-name': 'other' },
      '400 -32022',
    ],
    [
      'missing headers before an unknown method',
      modernMessage('unknown/method'),
      { 'mcp-method': undefined },
      mismatch,
    ],
    [
      'a name that does not agree before an unknown tool',
      modernMessage('tools/call', toolCall('nobody')),
      { 'mcp-name': 'route' },
      mismatch,
    ],
    [
      'a name before arguments in headers',
      modernMessage('tools/call', toolCall('route', { region: 'x' })),
      { 'mcp-name': undefined },
      mismatch,
    ],
    [
      'arguments in headers before the schema',
      modernMessage('tools/call', toolCall('route', { region: 'x', unknown: 1 })),
      {},
      mismatch,
    ],
  ]

  it.each(cases)('is %s', async (_what, message, headers, expected) => {
    expect(await outcome(message, headers)).toBe(expected)
  })

  it('reports the first missing header', async () => {
    const message = modernMessage('tools/call', toolCall('route'))
    const missing = async (...names: string[]): Promise<string> => {
      const headers = Object.fromEntries(names.map((name) => [name, undefined]))
      return (await modern.send(message, headers)).json.error.message
    }

    expect([
      await missing('mcp-protocol-version', 'mcp-method', 'mcp-name'),
      await missing('mcp-method', 'mcp-name'),
      await missing('mcp-name'),
    ]).toStrictEqual([
      'Header mismatch: MCP-Protocol-Version header is missing',
      'Header mismatch: Mcp-Method header is missing',
      'Header mismatch: Mcp-Name header is missing',
    ])
  })
})

describe('the standard headers', () => {
  const list = modernMessage('tools/list')
  const echo = modernMessage('tools/call', toolCall('route'))

  it.each<[string, Message, Record<string, string | undefined>, string]>([
    ['all correct headers', echo, {}, served],
    ['another version', list, { 'mcp-protocol-version': '2025-11-25' }, mismatch],
    ['an empty version', list, { 'mcp-protocol-version': '' }, mismatch],
    ['the version twice', list, { 'mcp-protocol-version': `${modernVersion}, ${modernVersion}` }, mismatch],
    ['another method', list, { 'mcp-method': 'tools/call' }, mismatch],
    ['the method in upper case', list, { 'mcp-method': 'TOOLS/LIST' }, mismatch],
    ['an empty method', list, { 'mcp-method': '' }, mismatch],
    ['the method encoded, which is not allowed for methods', list, { 'mcp-method': base64('tools/list') }, mismatch],
    [
      'whitespace around the values',
      echo,
      { 'mcp-method': ' \ttools/call\t ', 'mcp-name': '  route  ', 'mcp-protocol-version': ` ${modernVersion} ` },
      served,
    ],
    ['a no-break space around the name', echo, { 'mcp-name': '\u00a0route' }, mismatch],
    ['another name', echo, { 'mcp-name': 'other' }, mismatch],
    ['the name in another case', echo, { 'mcp-name': 'Route' }, mismatch],
    ['an empty name', echo, { 'mcp-name': '' }, mismatch],
    ['the name twice', echo, { 'mcp-name': 'route, route' }, mismatch],
    ['the name encoded', echo, { 'mcp-name': base64('route') }, served],
    [
      'the name encoded with an upper-case marker',
      echo,
      { 'mcp-name': base64('route').replace('base64', 'BASE64') },
      mismatch,
    ],
    ['the name as Base64 without a marker', echo, { 'mcp-name': Buffer.from('route').toString('base64') }, mismatch],
    ['a name on a method without names', list, { 'mcp-name': 'whatever' }, served],
    ['no name and no name in the body', modernMessage('tools/call', { arguments: {} }), {}, '200 -32602'],
  ])('are checked: %s', async (_what, message, headers, expected) => {
    expect(await outcome(message, headers)).toBe(expected)
  })

  it.each(['MCP-METHOD', 'Mcp-Method', 'mcp-method'])('are found under the name %s', async (name) => {
    const { 'mcp-method': method, ...others } = headersOf(list)

    const reply = await legacy.send(list, { ...others, [name]: method })

    expect(reply.status).toBe(200)
  })

  it('are reported with both values if they differ', async () => {
    const reply = await modern.send(echo, { 'mcp-name': 'other' })

    expect(reply.json).toStrictEqual({
      jsonrpc: '2.0',
      id: 1,
      error: {
        code: -32020,
        message: "Header mismatch: Mcp-Name header value 'other' does not match body value 'route'",
      },
    })
  })

  it('can name a tool with an invalid name', async () => {
    const unknown = modernMessage('tools/call', toolCall('Wörld 世界'))

    expect(await outcome(unknown, { 'mcp-name': base64('Wörld 世界') })).toBe('200 -32602')
    expect(await outcome(unknown, { 'mcp-name': base64('World 世界') })).toBe(mismatch)
  })

  it.each([
    ['prompts/get', { name: 'größe' }, base64('größe')],
    ['resources/read', { uri: 'file:///größe' }, base64('file:///größe')],
    ['resources/read', { uri: 'file:///a' }, 'file:///a'],
  ])('are also checked for the name or URI in %s', async (method, params, name) => {
    const message = modernMessage(method, params)

    expect(await outcome(message, { 'mcp-name': name })).toBe('404 -32601')
    expect(await outcome(message, { 'mcp-name': `${name}x` })).toBe(mismatch)
    expect(await outcome(message, { 'mcp-name': undefined })).toBe(mismatch)
  })

  it.each<[string, Record<string, string>]>([
    ['method', { 'mcp-method': 'ping' }],
    ['method, in another case', { 'mcp-method': 'Tools/Call' }],
    ['name', { 'mcp-name': 'safe' }],
    ['name, unreadable', { 'mcp-name': base64('x').slice(0, -3) }],
  ])('are compared with a legacy request that has them: another %s', async (_what, headers) => {
    const reply = await legacy.call('route', { region: 'here' }, { headers })

    expect([reply.status, reply.json.error.code]).toStrictEqual([400, -32020])
  })

  it('are optional in a legacy request, for which argument headers are ignored', async () => {
    const message = legacyMessage('tools/call', toolCall('route', { region: 'here' }))
    const headers = { 'mcp-method': 'tools/call', 'mcp-name': base64('route'), 'mcp-param-region': 'nowhere' }

    for (const each of [headers, { 'mcp-name': 'route' }, {}]) {
      // oxlint-disable-next-line no-await-in-loop
      const reply = await legacy.send(message, each)
      expect(reply.json.result.content[0].text).toBe('{"region":"here"}')
    }
  })

  it('are compared with each request of a legacy batch', async () => {
    const batch = [legacyMessage('ping', {}, 1), legacyMessage('tools/call', toolCall('route', { region: 'here' }), 2)]

    const { json } = await legacy.send(batch, { 'mcp-method': 'ping', 'mcp-protocol-version': '2025-03-26' })

    expect(json).toMatchObject([
      { id: 1, result: {} },
      { id: 2, error: { code: -32020 } },
    ])
  })
})

describe('arguments in headers', () => {
  it.each<[string, object, Record<string, string | undefined>, string]>([
    ['no arguments and headers', {}, {}, served],
    ['an equal string', { region: 'us-west1' }, { 'mcp-param-region': 'us-west1' }, served],
    ['a different string', { region: 'us-west1' }, { 'mcp-param-region': 'us-west2' }, mismatch],
    ['a string in another case', { region: 'us-west1' }, { 'mcp-param-region': 'US-WEST1' }, mismatch],
    ['a string without its header', { region: 'us-west1' }, {}, mismatch],
    ['a header without its argument', {}, { 'mcp-param-region': 'us-west1' }, mismatch],
    ['null, which has no header', { region: null }, {}, '200 isError'],
    ['a header for null', { region: null }, { 'mcp-param-region': 'null' }, mismatch],
    ['an empty string', { region: '' }, { 'mcp-param-region': '' }, served],
    ['an empty string without its header', { region: '' }, {}, mismatch],
    ['the word null', { region: 'null' }, { 'mcp-param-region': 'null' }, served],
    ['an integer', { shard: 42 }, { 'mcp-param-shard': '42' }, served],
    ['an integer with a zero fraction', { shard: 42 }, { 'mcp-param-shard': '42.0' }, served],
    ['a negative integer', { shard: -7 }, { 'mcp-param-shard': '-7' }, served],
    ['zero', { shard: 0 }, { 'mcp-param-shard': '0' }, served],
    ['an encoded integer', { shard: 42 }, { 'mcp-param-shard': base64('42') }, served],
    ['another integer', { shard: 42 }, { 'mcp-param-shard': '43' }, mismatch],
    ['an integer in exponential notation', { shard: 100 }, { 'mcp-param-shard': '1e2' }, mismatch],
    ['an integer in hexadecimal', { shard: 42 }, { 'mcp-param-shard': '0x2a' }, mismatch],
    ['an integer as an empty header', { shard: 0 }, { 'mcp-param-shard': '' }, mismatch],
    [
      'a neighbour of an integer that is too large',
      { shard: 2 ** 53 },
      { 'mcp-param-shard': '9007199254740993' },
      mismatch,
    ],
    ['the largest integer', { shard: 2 ** 53 - 1 }, { 'mcp-param-shard': '9007199254740991.0' }, served],
    ['true', { dry: true }, { 'mcp-param-dry-run': 'true' }, served],
    ['false', { dry: false }, { 'mcp-param-dry-run': 'false' }, served],
    ['true in upper case', { dry: true }, { 'mcp-param-dry-run': 'True' }, mismatch],
    ['true as a number', { dry: true }, { 'mcp-param-dry-run': '1' }, mismatch],
    ['false without its header', { dry: false }, {}, mismatch],
    ['a nested string', { where: { zone: 'b' } }, { 'mcp-param-zone': 'b' }, served],
    ['a nested string that differs', { where: { zone: 'b' } }, { 'mcp-param-zone': 'c' }, mismatch],
    ['a nested string without its header', { where: { zone: 'b' } }, {}, mismatch],
    ['a header of a missing nested string', { where: {} }, { 'mcp-param-zone': 'b' }, mismatch],
    [
      'all at once',
      { region: 'r', shard: 1, dry: true, where: { zone: 'z' } },
      { 'mcp-param-region': 'r', 'mcp-param-shard': '1', 'mcp-param-dry-run': 'true', 'mcp-param-zone': 'z' },
      served,
    ],
    ['an unknown parameter header', {}, { 'mcp-param-nobody': '=?base64?!!!?=' }, served],
    ['a parameter header of an argument without one', { note: 'n' }, { 'mcp-param-note': 'other' }, served],
    ['an object instead of a string', { region: { toString: 1, valueOf: 1 } }, { 'mcp-param-region': 'x' }, mismatch],
    ['an array instead of a string, without a header', { region: ['x'] }, {}, mismatch],
    ['a string instead of an object', { where: 'zone' }, {}, '200 isError'],
    ['a string instead of an integer', { shard: '42' }, { 'mcp-param-shard': '42' }, '200 isError'],
    ['a name of Object.prototype', { constructor: 'x' }, {}, '200 isError'],
  ])('are checked: %s', async (_what, args, headers, expected) => {
    expect(await outcome(modernMessage('tools/call', toolCall('route', args)), headers)).toBe(expected)
  })

  it('do not match inherited properties', async () => {
    const properties = { toString: { type: 'string', 'x-mcp-header': 'Text' }, a: { type: 'object' } }
    const other = await openApp({
      tools: [{ name: 'odd', inputSchema: { type: 'object', properties }, handler: () => 'ok' }],
    })
    const clientOfOther = connectTo(other)

    const replies = [
      await clientOfOther.call('odd'),
      await clientOfOther.call('odd', { toString: 'x' }, { headers: { 'mcp-param-text': 'x' } }),
    ]

    expect(replies.map(({ status }) => status)).toStrictEqual([200, 200])
  })

  it('are ignored for an unknown tool', async () => {
    const message = modernMessage('tools/call', toolCall('nobody', { region: 'x' }))

    expect(await outcome(message, { 'mcp-param-region': 'y' })).toBe('200 -32602')
  })

  it('leave malformed arguments to the validation of the method', async () => {
    const message = modernMessage('tools/call', { name: 'route', arguments: [] })

    expect(await outcome(message)).toBe('200 -32602')
  })
})

function region(value: string, header: string): Promise<string> {
  return outcome(modernMessage('tools/call', toolCall('route', { region: value })), { 'mcp-param-region': header })
}

describe('the encoding of header values', () => {
  it.each<[string, string, string]>([
    ['text that is not ASCII', 'Hello, 世界', '=?base64?SGVsbG8sIOS4lueVjA==?='],
    ['padding', ' padded ', '=?base64?IHBhZGRlZCA=?='],
    ['plain text in an unnecessary encoding', 'Hello', base64('Hello')],
    ['a line break', 'a\r\nb', base64('a\r\nb')],
    ['NUL', 'a\0b', base64('a\0b')],
    ['nothing', '', '=?base64??='],
    ['an emoji', '👩‍🚀', base64('👩‍🚀')],
    ['text that resembles an encoded value', '=?base64?SGVsbG8=?=', base64('=?base64?SGVsbG8=?=')],
    ['an upper-case marker, which is plain text', '=?BASE64?SGVsbG8=?=', '=?BASE64?SGVsbG8=?='],
    ['a marker without an end', '=?base64?SGVsbG8=', '=?base64?SGVsbG8='],
    ['an end without a marker', 'SGVsbG8=?=', 'SGVsbG8=?='],
    ['a truncated marker', '=?base64?=', '=?base64?='],
    ['a tab inside', 'a\tb', 'a\tb'],
  ])('transmits %s', async (_what, value, header) => {
    expect(await region(value, header)).toBe(served)
  })

  it.each<[string, string, string]>([
    ['missing padding', 'Hello', '=?base64?SGVsbG8?='],
    ['too much padding', 'Hello', '=?base64?SGVsbG8==?='],
    ['a character outside of the alphabet', 'Hello', '=?base64?SGVs!!!bG8=?='],
    ['the URL alphabet', 'ûï¾', '=?base64?w7vDr8K-?='],
    ['white space in the middle', 'Hello', '=?base64?SGVs bG8=?='],
    ['non-zero trailing bits', 'Hello', '=?base64?SGVsbG9=?='],
    ['invalid UTF-8', '\ufffd', base64(Buffer.from([0xff]))],
    ['a surrogate in UTF-8', '\ufffd', base64(Buffer.from([0xed, 0xa0, 0x80]))],
    ['an overlong form', '/', base64(Buffer.from([0xc0, 0xaf]))],
    ['a literal that resembles an encoded value', '=?base64?SGVsbG8=?=', '=?base64?SGVsbG8=?='],
    ['Latin-1 text', 'café', 'café'],
    ['a control character', 'a\u0001b', 'a\u0001b'],
  ])('rejects %s', async (_what, value, header) => {
    const { status, json } = await modern.call(
      'route',
      { region: value },
      {
        headers: {
          'mcp-param-region': header,
        },
      },
    )

    expect([status, json.error?.code]).toStrictEqual([400, -32020])
  })
})
