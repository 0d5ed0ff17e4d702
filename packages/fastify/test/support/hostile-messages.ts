// Invalid input of every kind that fits into a single message, for HTTP and stdio.
import {
  initializeMessage,
  legacyMessage,
  type Message,
  metaKeys,
  modernMessage,
} from '../../../../test/support/client/index.js'

/**
 * A JSON-RPC error code; `ok` for a result; `isError` for an error result; `silent` for no response (202 over HTTP).
 */
export type Outcome = number | 'ok' | 'isError' | 'silent'

export interface HostileMessage {
  /** The kind of the fault, shared by several messages. */
  readonly kind: string
  readonly body: string | Buffer
  readonly outcome: Outcome
}

const parseError = -32700
const invalidRequest = -32600
const methodNotFound = -32601
const invalidParams = -32602

/** Names of Object.prototype, which must not be found as members. */
const inherited = [
  'constructor',
  'prototype',
  'toString',
  'valueOf',
  'hasOwnProperty',
  '__defineGetter__',
  '__lookupSetter__',
]

const ping = JSON.stringify(legacyMessage('ping'))

function group(kind: string, outcome: Outcome, bodies: readonly (string | Buffer | object | null)[]): HostileMessage[] {
  return bodies.map((body) => ({
    kind,
    body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
    outcome,
  }))
}

function list(length: number, item: (index: number) => string): string {
  return Array.from({ length }, (_, index) => item(index)).join()
}

/** A message with nested params, so that the whole text has this many levels. */
function nested(levels: number, open: string, inner: string, close: string): string {
  return `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${open.repeat(levels - 2)}${inner}${close.repeat(levels - 2)}}}`
}

function insert(text: string, into = ping): string {
  return into.replace('"method"', `${text},"method"`)
}

function bytes(...values: number[]): Buffer {
  return Buffer.concat([
    Buffer.from('{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"'),
    Buffer.from(values),
    Buffer.from('"}}'),
  ])
}

const brokenJson = group('broken JSON', parseError, [
  '{',
  '}',
  '[',
  ']',
  '"',
  '"a',
  ':',
  ',',
  '{}}',
  '{}{}',
  '{} x',
  `${ping},`,
  `${ping}${ping}`,
  ping.slice(0, -1),
  ping.slice(1),
  '{"a"}',
  '{"a":}',
  '{"a":1,}',
  '{a:1}',
  "{'a':1}",
  '{"a":01}',
  '{"a":+1}',
  '{"a":.5}',
  '{"a":1.}',
  '{"a":1e}',
  '{"a":0x10}',
  '{"a":NaN}',
  '{"a":Infinity}',
  '{"a":-Infinity}',
  '{"a":undefined}',
  '{"a":nul}',
  '{"a":True}',
  '{"a":"\\x41"}',
  '{"a":"\\u12"}',
  '{"a":"\\uZZZZ"}',
  '{"a":"\u0001"}',
  '{"a":"\t"}',
  '[1,]',
  '[1 2]',
  '// {}',
  '/* */ {}',
  '<xml/>',
  'jsonrpc=2.0&method=ping',
  'undefined',
  'NaN',
  'ping',
  'a'.repeat(100_000),
  '\0',
  `\0${ping}`,
  `${ping}\0`,
  '\u00a0{}',
  '\ufeff',
  '(function(){})()',
  `)]}',${ping}`,
  '{"a":"b" "c"}',
  '--',
  '{"":',
  '"'.repeat(99_999),
  '\\'.repeat(100_000),
  '"\\'.repeat(50_000),
  '{"a":'.repeat(60),
  ','.repeat(100_000),
])

const badBytes = group('invalid UTF-8', parseError, [
  bytes(0xff),
  bytes(0xfe, 0xff),
  bytes(0x80),
  bytes(0xc0, 0xaf),
  bytes(0xc3),
  bytes(0xe2, 0x82),
  bytes(0xed, 0xa0, 0x80),
  bytes(0xed, 0xb0, 0x80),
  bytes(0xf0, 0x80, 0x80, 0xaf),
  bytes(0xf4, 0x90, 0x80, 0x80),
  bytes(0xf8, 0x88, 0x80, 0x80, 0x80),
  bytes(0xe9),
  Buffer.from([0xff, 0xfe]),
  Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(ping, 'utf16le')]),
  Buffer.concat([Buffer.from(ping), Buffer.from([0x80])]),
  Buffer.from(Array.from({ length: 5000 }, (_, index) => (index * 7 + 128) % 256)),
])

const noMessages = group('JSON that is not a message', invalidRequest, [
  'null',
  'true',
  'false',
  '0',
  '-1',
  '1e400',
  '"ping"',
  '""',
  '{}',
  '[]',
  '[[]]',
  '[null]',
  '[1,2,3]',
  { jsonrpc: '2.0' },
  { id: 1 },
  { method: 'ping' },
  { jsonrpc: '2.0', id: 1 },
  { jsonrpc: '1.0', id: 1, method: 'ping' },
  { jsonrpc: 2, id: 1, method: 'ping' },
  { jsonrpc: 2.0, id: 1, method: 'ping' },
  { jsonrpc: '2', id: 1, method: 'ping' },
  { jsonrpc: ' 2.0', id: 1, method: 'ping' },
  { jsonrpc: null, id: 1, method: 'ping' },
  { jsonrpc: ['2.0'], id: 1, method: 'ping' },
  { jsonrpc: true, id: 1, method: 'ping' },
  { id: 1, method: 'ping' },
  { JSONRPC: '2.0', id: 1, method: 'ping' },
  { jsonrpc: '2.0', id: 1, Method: 'ping' },
  { jsonrpc: { toString: '2.0' }, id: 1, method: 'ping' },
  { jsonrpc: '2.0', id: 1, params: {} },
  { jsonrpc: '2.0\0', id: 1, method: 'ping' },
  { result: {} },
  { jsonrpc: '3.0', id: 1, result: {} },
])

const oddIds = [
  ...group('an invalid id', invalidRequest, [
    insert('"id":null'),
    insert('"id":1.5'),
    insert('"id":-0.1'),
    insert('"id":1e400'),
    insert('"id":true'),
    insert('"id":false'),
    insert('"id":{}'),
    insert('"id":[]'),
    insert('"id":[1]'),
    insert('"id":{"toString":1}'),
    insert(`"id":"${'x'.repeat(10_000)}"`),
    insert(`"id":"${'\\u0000'.repeat(257)}"`),
  ]),
  ...group('an unusual id', 'ok', [
    insert('"id":12345678901234567890'),
    insert('"id":-9007199254740992'),
    insert('"id":1e21'),
    insert('"id":""'),
    insert('"id":0'),
    insert('"id":-1'),
    insert('"id":-0'),
    insert('"id":1e3'),
    insert('"id":9007199254740991'),
    insert(`"id":"${'x'.repeat(256)}"`),
    insert(`"id":"${'\\u0000'.repeat(256)}"`),
    insert('"id":"\\ud800"'),
    insert('"id":"__proto__"'),
    insert('"id":"constructor"'),
    insert('"id":"null"'),
    insert('"id":"\u{1f600}"'),
    insert('"id":2,"id":3'),
  ]),
]

const oddMethods = [
  ...group(
    'an invalid method',
    invalidRequest,
    [0, 1, null, true, {}, [], ['ping'], { toString: 'ping' }].map((method) => ({ jsonrpc: '2.0', id: 1, method })),
  ),
  ...group(
    'an unknown method',
    methodNotFound,
    [
      '',
      ' ',
      'ping ',
      ' ping',
      'PING',
      'Ping',
      'tools',
      'tools/',
      '/tools/list',
      'tools/list/',
      'tools//list',
      'tools/call\0',
      'ping\n',
      '../ping',
      'rpc.discover',
      '__proto__',
      ...inherited,
      'notifications/initialized',
      'x'.repeat(1_000_000),
      '\u0001'.repeat(5000),
      '世'.repeat(5000),
      '\ud800'.repeat(500),
      '\\'.repeat(5000),
      '"'.repeat(5000),
    ].map((method) => legacyMessage(method)),
  ),
]

const oddParams = [
  ...group(
    'invalid params',
    invalidRequest,
    [[], [1], 'x', '', 0, 1, true, false].map((params) => ({ jsonrpc: '2.0', id: 1, method: 'ping', params })),
  ),
  ...group('params without content', 'ok', [
    { jsonrpc: '2.0', id: 1, method: 'ping', params: null },
    { jsonrpc: '2.0', id: 1, method: 'ping', params: {} },
    { jsonrpc: '2.0', id: 1, method: 'ping', params: { _meta: null, cursor: [], name: 1, anything: {} } },
    { jsonrpc: '2.0', id: 1, method: 'ping', params: { _meta: [] } },
    { jsonrpc: '2.0', id: 1, method: 'ping', params: { _meta: 'x' } },
    { jsonrpc: '2.0', id: 1, method: 'ping', params: { _meta: { progressToken: {} } } },
    { jsonrpc: '2.0', id: 1, method: 'ping', extra: 1, result: {}, error: {} },
  ]),
]

const deep = [
  ...group('nesting as deep as allowed', 'ok', [
    nested(64, '[', '', ']'),
    nested(64, '{"a":', '1', '}'),
    nested(63, '[', '', ']'),
    nested(64, '[', '', ']').replace('"params":{', '"params":{"b":[[],[]],"c":{},'),
  ]),
  ...group('nesting beyond the limit', invalidRequest, [
    nested(65, '[', '', ']'),
    nested(65, '{"a":', '1', '}'),
    nested(1000, '[', '', ']'),
    nested(200_000, '[', '', ']'),
    nested(200_000, '{"a":', '1', '}'),
    nested(200_000, '[{"a":', '1', '}]'),
    '['.repeat(200_000),
    '{"a":'.repeat(200_000),
    `${'['.repeat(200_000)}${']'.repeat(200_000)}`,
    '[{'.repeat(100_000),
    `${' '.repeat(100_000)}${'['.repeat(65)}`,
    `["\\"",${'['.repeat(65)}`,
  ]),
  ...group('keys and items as many as are allowed', 'ok', [
    insert(`"x":{${list(9996, (index) => `"${index}":0`)}}`),
    insert(`"x":[${list(9990, (index) => `{"${index}":0}`)}]`),
    insert(`"x":[${list(50_000, () => '[]')}]`),
    insert(`"x":"${'a:b,[]'.repeat(100_000)}"`),
  ]),
  ...group('keys and items beyond the limit', invalidRequest, [
    insert(`"x":{${list(9997, (index) => `"${index}":0`)}}`),
    insert(`"x":{${list(700_000, () => '"":0')}}`),
    insert(`"x":{${list(400_000, (index) => `"${index.toString(36)}":0`)}}`),
    insert(`"x":[${list(200_000, (index) => `{"${index}":0}`)}]`),
    insert(`"x":[${list(50_001, () => '0')}]`),
    insert(`"x":[${list(2_000_000, () => '0')}]`),
    insert(`"x":[${list(1_000_000, () => '[]')}]`),
    insert(`"x":[${list(20_000, () => '[[[]]]')}]`),
  ]),
  ...group('brackets in strings', 'ok', [
    insert(`"x":"${'['.repeat(200_000)}"`),
    insert(`"x":"${'{\\"'.repeat(100_000)}"`),
    insert(`"${'['.repeat(200)}":1`),
    insert(`"x":"\\\\","y":"${'['.repeat(100)}"`),
    insert(`"x":[${'[],{},'.repeat(1000)}1]`),
  ]),
]

const poison = [
  '"__proto__":{"polluted":1}',
  '"__proto__":1',
  '"__proto__":null',
  '"\\u005f_proto__":{"polluted":1}',
  '"\\u005F\\u005F\\u0070roto\\u005f_":{"polluted":1}',
  '"__proto__" \n\t :{}',
  '"constructor":{"prototype":{"polluted":1}}',
  '"c\\u006fnstructor":{"prototype":null}',
]

/** The same member at every place of a message. */
const places: readonly ((member: string) => string)[] = [
  (member) => insert(member),
  (member) => `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{${member},"name":"echo","arguments":{}}}`,
  (member) => `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{${member}}}}`,
  (member) =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"a":[{"b":[[{${member}}]]}]}}}`,
  (member) =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{},"_meta":{${member}}}}`,
  (member) =>
    `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{${member}}}}`,
]

const poisoned = group(
  'a poisoned key',
  invalidRequest,
  poison.flatMap((member) => places.map((place) => place(member))),
)

const harmless = group('a key that resembles a poisoned key', 'ok', [
  insert('"x":"__proto__"'),
  insert('"constructor":1'),
  insert('"constructor":{"proto":1}'),
  insert('"prototype":{}'),
  insert('"__proto":{}'),
  insert('"__PROTO__":{}'),
  insert('"x":"\\"__proto__\\":"'),
])

function calls(params: readonly unknown[]): object[] {
  return params.map((value) => legacyMessage('tools/call', value as Message['params']))
}

const oddNames = group('an unknown tool', invalidParams, [
  ...calls([
    {},
    { name: null },
    { name: 1 },
    { name: true },
    { name: {} },
    { name: [] },
    { name: ['echo'] },
    { name: { toString: 'echo' } },
    { Name: 'echo' },
    { arguments: {} },
  ]),
  ...calls(
    [
      '',
      ' ',
      'echo ',
      'Echo',
      'ECHO',
      'echo\0',
      'echo\n',
      'ech\u200bo',
      'есho',
      '../echo',
      'echo/../echo',
      '*',
      '%65cho',
      '\ud800',
      '\udfff\ud800',
      '\u202eohce',
      '__proto__',
      ...inherited,
      'x'.repeat(128),
      'x'.repeat(129),
      'x'.repeat(1_000_000),
      '\u0001'.repeat(100_000),
      '世'.repeat(100_000),
      '\ud83d'.repeat(1000),
      '"'.repeat(100_000),
      '\\'.repeat(100_000),
      `ech${'o'.repeat(4)}`,
    ].map((name) => ({ name, arguments: {} })),
  ),
])

const oddArguments = [
  ...group(
    'invalid arguments',
    invalidParams,
    calls([[], [{}], 'x', '', 0, 1, true].map((args) => ({ name: 'echo', arguments: args }))),
  ),
  ...group('arguments that match the schema', 'ok', [
    ...calls([
      { name: 'echo' },
      { name: 'echo', arguments: {}, extra: 1 },
      { name: 'echo', arguments: { '': 1 } },
      { name: 'echo', arguments: { 'a\0b': '\0' } },
      { name: 'echo', arguments: { lone: '\ud800', '\udc00': 1 } },
    ]),
    ...calls(inherited.map((name) => ({ name: 'echo', arguments: { [name]: name } }))),
    legacyMessage('tools/call', {
      name: 'echo',
      arguments: Object.fromEntries(Array.from({ length: 9900 }, (_, index) => [`key${index}`, index])),
    }),
    legacyMessage('tools/call', { name: 'echo', arguments: { list: Array.from({ length: 49900 }, () => 0) } }),
    legacyMessage('tools/call', { name: 'echo', arguments: { text: '\u0000'.repeat(100_000) } }),
    legacyMessage('tools/call', {
      name: 'unique',
      arguments: { list: Array.from({ length: 9900 }, (_, a) => ({ a })) },
    }),
    legacyMessage('tools/call', {
      name: 'defaulted',
      arguments: { list: Array.from({ length: 9900 }, () => ({ b: 1 })) },
    }),
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"n":1e308,"m":-0,"o":1e400,"a":1,"a":2}}}`,
  ]),
  ...group('arguments that do not match the schema', 'isError', [
    ...calls(inherited.map((name) => ({ name: 'strict', arguments: { [name]: 1 } }))),
    ...calls(inherited.map((name) => ({ name: 'none', arguments: { [name]: 1 } }))),
    ...calls(inherited.map((name) => ({ name: 'typed', arguments: { [name]: 1 } }))),
    ...calls([
      { name: 'strict' },
      { name: 'strict', arguments: { n: '1' } },
      { name: 'strict', arguments: { n: null } },
      { name: 'strict', arguments: { n: [1] } },
    ]),
    ...calls([
      { name: 'typed' },
      { name: 'typed', arguments: { n: '1' } },
      { name: 'typed', arguments: { n: {} } },
      { name: 'typed', arguments: { n: 1, s: ['x'] } },
    ]),
    ...calls(
      ['\u0001', '世', '\ud800', '"', '\\', '/', '~'].flatMap((character) =>
        ['strict', 'map', 'typed', 'typed_map'].map((name) => ({
          name,
          arguments: Object.fromEntries(
            Array.from({ length: 12 }, (_, index) => [character.repeat(500 + index), character.repeat(500)]),
          ),
        })),
      ),
    ),
    ...calls(
      ['map', 'typed_map'].map((name) => ({
        name,
        arguments: Object.fromEntries(Array.from({ length: 9900 }, (_, index) => [`k${index}`, 'x'])),
      })),
    ),
    ...['\u0001', '世', '"'].map((character) =>
      legacyMessage(
        'tools/call',
        {
          name: 'map',
          arguments: Object.fromEntries(Array.from({ length: 12 }, (_, n) => [character.repeat(99 + n), 'x'])),
        },
        '\u0000'.repeat(256),
      ),
    ),
    legacyMessage('tools/call', { name: 'list', arguments: { list: Array.from({ length: 49900 }, () => 'x') } }),
    legacyMessage('tools/call', { name: 'typed_list', arguments: { list: Array.from({ length: 49900 }, () => 'x') } }),
    legacyMessage('tools/call', {
      name: 'none',
      arguments: Object.fromEntries(Array.from({ length: 9900 }, (_, index) => [`k${index}`, index])),
    }),
  ]),
]

const oddCursors = group(
  'a cursor that the server did not issue',
  invalidParams,
  [0, 1, -1, true, {}, [], '', 'x', '__proto__', 'x'.repeat(1_000_000), '\ud800', '\0', 'AAAA', '=?base64?eA==?='].map(
    (cursor) => legacyMessage('tools/list', { cursor }),
  ),
)

const oddHandshakes = [
  ...group(
    'a handshake without data',
    invalidParams,
    [
      {},
      { protocolVersion: null },
      { protocolVersion: 1 },
      { protocolVersion: [] },
      { protocolVersion: ['2025-11-25'] },
      { protocolVersion: {} },
      { protocolVersion: '2025-11-25', capabilities: [] },
      { protocolVersion: '2025-11-25', capabilities: 'x' },
      { protocolVersion: '2025-11-25', capabilities: { roots: { x: 'x'.repeat(20_000) } } },
    ].map((params) => legacyMessage('initialize', params)),
  ),
  ...group('an unusual handshake', 'ok', [
    initializeMessage(''),
    initializeMessage('x'.repeat(1_000_000)),
    initializeMessage('__proto__'),
    initializeMessage('constructor'),
    initializeMessage('2025-11-25', { clientInfo: null }),
    initializeMessage('2025-11-25', { clientInfo: [] }),
    initializeMessage('2025-11-25', { clientInfo: { name: 1 } }),
    initializeMessage('2025-11-25', { clientInfo: { name: 'x'.repeat(1_000_000), version: {} } }),
    initializeMessage('2025-11-25', { capabilities: undefined }),
    initializeMessage('2025-11-25', { extra: { deep: [] } }),
  ]),
]

const notifications = group('a notification', 'silent', [
  { jsonrpc: '2.0', method: 'notifications/cancelled' },
  { jsonrpc: '2.0', method: 'notifications/cancelled', params: null },
  { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: null } },
  { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: {} } },
  { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: '__proto__' } },
  { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1, reason: 'x'.repeat(100_000) } },
  { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 'x' } },
  { jsonrpc: '2.0', method: '' },
  { jsonrpc: '2.0', method: '__proto__' },
  { jsonrpc: '2.0', method: 'x'.repeat(1_000_000) },
  { jsonrpc: '2.0', method: 'tools/call', params: { name: 'echo' } },
  { jsonrpc: '2.0', method: 'initialize', params: { protocolVersion: '2025-11-25' } },
  { jsonrpc: '2.0', id: 1, result: null },
  { jsonrpc: '2.0', id: null, result: {} },
  { jsonrpc: '2.0', id: 1, error: null },
  { jsonrpc: '2.0', id: {}, error: { code: 'x' } },
  { jsonrpc: '2.0', result: 'x'.repeat(1_000_000) },
])

/** Requests of the legacy era; over HTTP with a header for 2025-11-25, the default of stdio. */
export const legacyMessages: readonly HostileMessage[] = [
  ...brokenJson,
  ...badBytes,
  ...noMessages,
  ...oddIds,
  ...oddMethods,
  ...oddParams,
  ...deep,
  ...poisoned,
  ...harmless,
  ...oddNames,
  ...oddArguments,
  ...oddCursors,
  ...oddHandshakes,
  ...notifications,
  { kind: 'a byte order mark', body: `\ufeff${ping}`, outcome: 'ok' },
  { kind: 'white space around a message', body: ` \t\r ${ping} \t\r `, outcome: 'ok' },
]

export interface ModernMessage {
  readonly kind: string
  readonly message: Message
  readonly outcome: Outcome
  /** Over HTTP. */
  readonly status: number
}

function modernGroup(kind: string, outcome: Outcome, status: number, messages: readonly Message[]): ModernMessage[] {
  return messages.map((message) => ({ kind, message, outcome, status }))
}

const oddValues = [null, 0, 1, true, '', 'x', [], {}, ['2026-07-28'], { a: 1 }]
const meta = (values: object): Message => modernMessage('tools/list', {}, values)

/** Requests with a modern version. */
export const modernMessages: readonly ModernMessage[] = [
  ...modernGroup(
    'a version that is not a string',
    invalidParams,
    400,
    oddValues.filter((value) => typeof value !== 'string').map((value) => meta({ [metaKeys.version]: value })),
  ),
  ...modernGroup(
    'an unknown version',
    -32022,
    400,
    [
      '',
      'x',
      '2026-07-28 x',
      '2026-07-29',
      '2025-11-25',
      '__proto__',
      'constructor',
      'DRAFT-2026',
      'x'.repeat(5000),
      '"'.repeat(2000),
    ].map((value) => meta({ [metaKeys.version]: value })),
  ),
  ...modernGroup(
    'invalid capabilities',
    invalidParams,
    400,
    [null, 0, true, '', 'x', []].map((value) => meta({ [metaKeys.capabilities]: value })),
  ),
  ...modernGroup(
    'large capabilities',
    'ok',
    200,
    [{}, { x: 1 }, { elicitation: null }, { sampling: 'x'.repeat(100_000) }, { toString: 1 }].map((value) =>
      meta({ [metaKeys.capabilities]: value }),
    ),
  ),
  ...modernGroup(
    'unusual client info',
    'ok',
    200,
    [...oddValues, { name: 'x'.repeat(1_000_000), version: 'x'.repeat(1_000_000) }, { name: '\0', version: [] }].map(
      (value) => meta({ [metaKeys.client]: value }),
    ),
  ),
  ...modernGroup(
    'an invalid log level',
    invalidParams,
    200,
    ['x', 'INFO', '__proto__', 'constructor', 1, {}, ['info']].map((value) => meta({ [metaKeys.logLevel]: value })),
  ),
  ...modernGroup(
    'an invalid progress token',
    'ok',
    200,
    [...oddValues, 1.5, 1e21, 'x'.repeat(1_000_000)].map((value) =>
      modernMessage('tools/call', { name: 'steps', arguments: {}, _meta: { progressToken: value } }),
    ),
  ),
  ...modernGroup('unknown members of _meta', 'ok', 200, [
    meta({ constructor: 1, toString: { a: 1 }, '': 1, 'a/b/c': 1, traceparent: {}, baggage: 7 }),
  ]),
  ...modernGroup(
    'a method that is not modern',
    methodNotFound,
    404,
    ['', 'ping', 'initialize', 'constructor', 'x'.repeat(4000), 'tools/list2'].map((method) => modernMessage(method)),
  ),
  ...modernGroup(
    'an unknown tool',
    invalidParams,
    200,
    [...inherited, 'x'.repeat(4000), 'nobody'].map((name) => modernMessage('tools/call', { name, arguments: {} })),
  ),
  ...modernGroup(
    'an invalid name',
    invalidParams,
    200,
    [undefined, null, 0, {}, []].map((name) => modernMessage('tools/call', { name })),
  ),
  ...modernGroup(
    'invalid arguments',
    invalidParams,
    200,
    [[], 'x', 0].map((args) => modernMessage('tools/call', { name: 'echo', arguments: args })),
  ),
  ...modernGroup(
    'arguments that do not match the schema',
    'isError',
    200,
    [{ n: 'x' }, { toString: 1 }, { n: { toString: 1 } }].map((args) =>
      modernMessage('tools/call', { name: 'strict', arguments: args }),
    ),
  ),
  ...modernGroup(
    'a cursor that the server did not issue',
    invalidParams,
    200,
    [0, {}, [], '', 'x'.repeat(100_000)].map((cursor) => modernMessage('tools/list', { cursor })),
  ),
]
