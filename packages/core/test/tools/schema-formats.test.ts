import { type CallToolResult, connectInMemory, type McpServer, Type } from '@toolwright/core'
import { createServer } from '@toolwright/server'
import { pino } from 'pino'
import { Format } from 'typebox/format'
import { processorMs } from '../../../../test/support/processor-time.js'
import { until } from '../../../../test/support/until.js'

/** The same schema twice: as TypeBox, and as plain JSON Schema. */
async function open(): Promise<McpServer> {
  const server = await createServer({ name: 'formats', version: '1.0.0', controllers: [] })
  const properties = Object.fromEntries(names.map((format) => [format, { type: 'string', format }]))
  const typed = names.map((format) => [format, Type.Optional(Type.String({ format }))])
  const handler = (): string => 'taken'
  server.catalog.addTool({ name: 'typed', input: Type.Object(Object.fromEntries(typed)), handler })
  server.catalog.addTool({ name: 'plain', inputSchema: { type: 'object', properties }, handler })
  return server
}

const names =
  'date time date-time duration uuid ipv4 ipv6 email hostname uri uri-reference uri-template regex byte json-pointer url'.split(
    ' ',
  )

/** Whether each tool accepts a string as valid by a format. */
async function check(server: McpServer, format: string, text: string): Promise<boolean[]> {
  const results = await Promise.all(['typed', 'plain'].map((name) => server.callTool(name, { [format]: text })))
  return results.map(({ isError }) => isError !== true)
}

const both = [true, true]
const none = [false, false]
const megabyte = 2 ** 20

it.each([
  ['date', '2026-02-28', '2026-02-30'],
  ['time', '10:30:00Z', '25:30:00Z'],
  ['date-time', '2026-02-28T10:30:00.5+01:00', '2026-02-28'],
  ['date-time', '2026-02-28t10:30:00-01:00', '2026-02-28T25:30:00Z'],
  ['date-time', '2026-02-28T10:30:00z', '2026-02-28T10:30:00Z[x'],
  ['duration', 'P1DT2H', 'P'],
  ['uuid', '00112233-4455-6677-8899-aabbccddeeff', '00112233'],
  ['ipv4', '127.0.0.1', '127.0.0.256'],
  ['ipv6', '::1', ':::'],
  ['email', 'ada@example.com', 'ada@'],
  ['email', `${'a'.repeat(988)}@example.com`, `${'a'.repeat(989)}@example.com`],
  ['hostname', 'a-b.example.com', '-a.example.com'],
  ['hostname', 'xn--fiqs8s', 'a_b'],
  ['hostname', `${'a'.repeat(63)}.example`, `${'a'.repeat(64)}.example`],
  ['hostname', `example.${'a'.repeat(63)}`, `example.${'a'.repeat(64)}`],
  ['hostname', `a${'.b2'.repeat(84)}`, `ab${'.b2'.repeat(84)}`],
  ['hostname', 'A.b-c', 'a.b-'],
  ['hostname', 'a-b.c', 'a-.c'],
  ['hostname', '1.2', 'a.b_c'],
  ['uri', 'https://example.com/a?b=c#d', '/a'],
  ['uri-reference', '/a?b', 'a b'],
  ['uri-template', '/a/{b}', '/a/{b'],
  ['regex', '^\\p{Letter}[\\\\p]+$', '(?:'],
  ['json-pointer', '/a/~0', 'a'],
  ['json-pointer', '/'.repeat(65_536), '/'.repeat(65_537)],
  ['url', 'https://example.com/a', 'a'],
])('the format %s is validated', async (format, good, bad) => {
  const server = await open()

  expect(await check(server, format, good)).toStrictEqual(both)
  expect(await check(server, format, bad)).toStrictEqual(none)
})

it.each(['\\p{Nothing}', '\\P{Nothing}\\p{Letter}', '\\p{Letter', '[\\p{Letter}-z]', '(\\p{Letter}'])(
  '%s is not mistaken for an expression with Unicode properties',
  async (pattern) => {
    const [typed] = await check(await open(), 'regex', pattern)

    expect(typed).toBe(false)
  },
)

it.each(['\\P{Letter}', '\\p{Letter}\\}', '\\p{sc=Greek}{2}'])(
  '%s is recognized as an expression with Unicode properties',
  async (pattern) => {
    expect(await check(await open(), 'regex', pattern)).toStrictEqual(both)
  },
)

it.each(['p', 'P'])(
  'two hundred expressions with \\%s{Property} are accepted, and a thousand are rejected',
  async (letter) => {
    const server = await openLists('regex')
    const call = (length: number): Promise<CallToolResult> =>
      server.callTool('typed', { either: Array.from({ length }, (_, index) => `\\${letter}{Lu}${index}`) })

    expect(await call(200)).toStrictEqual(taken)
    expect(await call(1000)).toMatchObject({ isError: true })
  },
)

it.each([
  ['email', `a@${'aa.'.repeat(megabyte)}`],
  ['date-time', 'T'.repeat(megabyte)],
  ['hostname', 'xn--a.'.repeat(megabyte / 2)],
  ['regex', '\\p{Letter}'.repeat(megabyte / 4)],
  ['url', `http://${':'.repeat(megabyte)}`],
  ['uri', `http://${'a'.repeat(megabyte)}^`],
  ['json-pointer', `/${'a'.repeat(megabyte)}`],
])('strings that are too long for the format %s are rejected at once', async (format, text) => {
  const server = await open()
  await check(server, format, 'a')
  const tookMs = await processorMs(async () => {
    expect(await check(server, format, text)).toStrictEqual(none)
  })

  // Checking them would take from 100 ms to an hour.
  expect(tookMs).toBeLessThan(500)
})

const file = 'QUJD'.repeat(megabyte / 4)

it.each([
  ['uri', `data:image/png;base64,${file}`],
  ['uri', `https://example.com/?${'a=%20&'.repeat(megabyte / 8)}#b`],
  ['uri-reference', `/a/../${file}?${file}`],
])('the format %s accepts strings of any length', async (format, text) => {
  const server = await open()

  expect(await check(server, format, text)).toStrictEqual(both)
  expect(await check(server, format, `${text} `)).toStrictEqual(none)
  expect(await check(server, format, `${text}%2`)).toStrictEqual(none)
  expect(await check(server, format, `${text}#a#b`)).toStrictEqual(none)
  expect(await check(server, format, `${text}"`)).toStrictEqual(none)
})

it.each([
  ['a:…', both, both],
  ['a:…:b', both, both],
  ['a1+b.c-d:…', both, both],
  ["https://example.com/…!$&'()*+,-./:;=?@~_%20", both, both],
  ['1:…', none, none],
  ['…/:', none, both],
  ['//[::1]/…', none, both],
  ['http://[::1/…', none, none],
  ['http://…/', none, none],
])('%s is a valid URI at any length', async (start, uri, reference) => {
  const server = await open()
  const text = start.replace('…', 'b'.repeat(2000))

  expect(await check(server, 'uri', text)).toStrictEqual(uri)
  expect(await check(server, 'uri-reference', text)).toStrictEqual(reference)
})

const presigned = `https://bucket.s3.eu-central-1.amazonaws.com/a%20b.pdf?X-Amz-Security-Token=${'IQoJb3%2F'.repeat(160)}&X-Amz-Expires=900`

it.each([
  ['presigned', presigned, both],
  ['of 60 KB', `https://ada:secret@example.com:8443/a?b=${'c@:/'.repeat(15_000)}#d`, both],
  ['of a megabyte', `http://example.com/${':@'.repeat(megabyte / 2)}`, both],
  ['without a path', `https://example.com?${'a'.repeat(2000)}`, both],
  ['with data', `data:image/png;base64,${'QUJD'.repeat(500)}`, both],
  ['with a space', `${presigned} `, none],
  ['with a wrong port', `https://example.com:port/${'a'.repeat(2000)}`, none],
  ['without a host', `https:///${'a'.repeat(2000)}`, none],
  ['with a host after the scheme', `https:${'a'.repeat(2000)}^`, none],
  ['without a scheme', `/${'a'.repeat(2000)}`, none],
])('a long URL %s is validated', async (_, text, expected) => {
  expect(await check(await open(), 'url', text)).toStrictEqual(expected)
})

// Node 24 accepts invalid punycode labels.
const encoded = URL.canParse('http://xn--a./') ? both : none

it.each([
  ['colons', `http://${':'.repeat(900)}/${':'.repeat(megabyte)}`, none],
  ['colons and users', `http://${':@'.repeat(450)}/${':@'.repeat(megabyte)}`, none],
  ['users', `http://${'@a.'.repeat(300)}/${'@a.'.repeat(megabyte)}`, both],
  ['encoded labels', `http://${'xn--a.'.repeat(150)}/${'../a/'.repeat(megabyte / 2)}`, encoded],
  ['a space at its end', `http://a.example/${'a'.repeat(megabyte)} `, none],
])('a URL of megabytes with %s is validated in limited time', async (_, text, expected) => {
  const server = await open()
  await check(server, 'url', 'a')
  const tookMs = await processorMs(async () => {
    expect(await check(server, 'url', text)).toStrictEqual(expected)
  })

  expect(tookMs).toBeLessThan(500)
})

const many = 40_000
const taken = { content: [{ type: 'text', text: 'taken' }] }

it.each([
  ['hostname', (index: number) => `xn--fiqs8s.xn--fiqs8s.a${index}`],
  ['idn-hostname', (index: number) => `世界中文.example${index}`],
  ['iri', (index: number) => `http://世界中文.example${index}/`],
  ['iri-reference', (index: number) => `//世界中文.example${index}/`],
  ['url', (index: number) => `http://世界中文.example${index}.org/`],
  ['regex', (index: number) => `^a(?<name>${index})$`],
])(
  'a thousand strings of the format %s are validated, and larger numbers are rejected at once',
  async (format, textOf) => {
    const server = await openLists(format)
    const call = (length: number): Promise<CallToolResult> =>
      server.callTool('typed', { list: Array.from({ length }, (_, index) => textOf(index)) })
    await call(1)
    const text =
      "Invalid arguments for tool 'typed': the arguments must have fewer or shorter strings of the format " +
      `${format}: they take too long to check.`
    const tookMs = await processorMs(async () => {
      expect(await call(many)).toStrictEqual({ content: [{ type: 'text', text }], isError: true })
    })

    // Checking them would take up to two seconds.
    expect(tookMs).toBeLessThan(500)
    expect(await call(1000)).toStrictEqual(taken)
  },
)

it.each([
  ['typed', 'hostname', 'xn--fiqs8s.'.repeat(6)],
  ['typed', 'url', `http:\t//${'世.'.repeat(12)}`],
  ['typed', 'iri', `http://${'%e4%b8%96.'.repeat(4)}`],
  ['typed', 'url', `http:\n//${'世.'.repeat(12)}`],
  ['typed', 'url', `http:\r//${'世.'.repeat(12)}`],
  ['typed', 'url', `http:\\\\${'世.'.repeat(12)}`],
  ['typed', 'url', `http://${'XN--FIQS8S.'.repeat(6)}`],
  ['typed', 'iri', `http://a:b${'@'.repeat(60)}`],
  ['typed', 'iri', `http://a@${'b'.repeat(60)}@`],
  ['typed', 'idn-email', `a@${'e\u0301\u0323'.repeat(50)}`],
  ['plain', 'hostname', 'xn--fiqs8s.'.repeat(6)],
  ['plain', 'url', `http://${'世.'.repeat(12)}`],
  ['plain', 'regex', '(?<=a'.repeat(20)],
])('%s tools limit the checks of the format %s in a union with other formats, too', async (tool, format, text) => {
  const server = await openLists(format)
  const list = Array.from({ length: many }, (_, index) => `${text}${index}`)

  expect(await server.callTool(tool, { either: list })).toMatchObject({ isError: true })
  expect(await server.callTool(tool, { either: list.slice(0, 100) })).toStrictEqual(taken)
})

it.each([
  [
    'typed',
    'hostname',
    (index: number) => `${['', 'www1-', 'W'][index % 3]}${index}${['', 'x'][index % 2]}.a.b1-c.Example`,
  ],
  ['typed', 'url', (index: number) => `https://ada:b@www.example.com:8443/${index}/%20世?to=a@xn--a@b`],
  ['typed', 'iri', (index: number) => `https://ada:b@www.example.com:8443/${index}/%20世?to=a@xn--a@b`],
  ['typed', 'iri-reference', (index: number) => `?to=http://a@b@c/${index}`],
  ['typed', 'iri-reference', (index: number) => `#to=http://a@b@c/${index}`],
  ['plain', 'url', (index: number) => `https://www.example.com:8443/${index}/%20?to=xn--a`],
])('%s tools validate any number of ordinary strings of the format %s', async (tool, format, textOf) => {
  const server = await openLists(format)
  const list = Array.from({ length: many }, (_, index) => textOf(index))

  expect(await server.callTool(tool, { either: list })).toStrictEqual(taken)
})

it('strings that are too expensive to check are rejected, even if an early one is invalid', async () => {
  const server = await openLists('hostname')
  const list = ['a b', ...Array<string>(900).fill(`${'xn--fiqs8s.'.repeat(20)}a`)]

  expect(JSON.stringify(await server.callTool('typed', { list }))).toContain('must have fewer or shorter strings')
})

it('all formats that may exceed the limit are named', async () => {
  const server = await createServer({ name: 'formats', version: '1.0.0', controllers: [] })
  const hosts = Type.Array(Type.String({ format: 'idn-hostname' }))
  const pages = Type.Optional(Type.Array(Type.String({ format: 'url' })))
  server.catalog.addTool({ name: 'both', input: Type.Object({ hosts, pages }), handler: () => 'taken' })

  const args = { hosts: Array.from({ length: many }, (_, index) => `世界.example${index}`) }
  expect(JSON.stringify(await server.callTool('both', args))).toContain('of the format idn-hostname or url:')
})

it('the limit does not apply to checks by the application', async () => {
  const server = await openLists('hostname')
  const text = 'xn--fiqs8s'
  expect(await server.callTool('typed', { list: Array<string>(many).fill(text) })).toMatchObject({ isError: true })

  expect(Array.from({ length: many }, () => Format.Test('hostname', text))).not.toContain(false)
})

it('a throwing refinement fails as it does without a format', async () => {
  const server = await createServer({
    name: 'formats',
    version: '1.0.0',
    controllers: [],
    logger: pino({ level: 'silent' }),
  })
  const broken = (options: { format?: 'hostname' }) =>
    Type.Refine(
      Type.String(options),
      () => fail(),
      () => 'must be refined',
    )
  server.catalog.addTool({ name: 'tool', input: Type.Object({ name: broken({}) }), handler: () => 'taken' })
  server.catalog.addTool({
    name: 'costly',
    input: Type.Object({ name: broken({ format: 'hostname' }) }),
    handler: () => 'taken',
  })
  const [plain, costly] = await Promise.allSettled(
    ['tool', 'costly'].map((name) => server.callTool(name, { name: 'a' })),
  )

  expect(JSON.stringify(costly).replace('costly', 'tool')).toBe(JSON.stringify(plain))
  expect(costly).not.toMatchObject({ value: { isError: true } })
})

function fail(): never {
  throw new Error('broken')
}

it('other requests are served between expensive messages of a batch', async () => {
  const server = await openLists('idn-hostname')
  const list = Array.from({ length: 1000 }, (_, index) => `世界中文.a${index}`)
  const params = { name: 'typed', arguments: { list } }
  const batch = Array.from({ length: 50 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/call', params }))
  const answers: unknown[] = []
  const client = connectInMemory(server, { onMessage: (message) => answers.push(message) })
  // The only revision with batches.
  const init = { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'batching', version: '1' } }
  client.send({ jsonrpc: '2.0', id: 'init', method: 'initialize', params: init })
  await until(() => answers.length === 1)
  let turns = 0
  const count = (): void => {
    turns++
    if (answers.length === 1) setImmediate(count)
  }
  client.send(batch)
  count()
  await until(() => answers.length === 2)

  const result = { content: [{ type: 'text', text: 'taken' }] }
  expect(answers[1]).toStrictEqual(batch.map(({ id }) => ({ jsonrpc: '2.0', id, result })))
  // In one turn it would take a third of a second.
  expect(turns).toBeGreaterThan(10)
})

it('errors in a few strings are named, even if checks of many strings would exceed the limit', async () => {
  const server = await openLists('idn-hostname')
  const list = [...Array.from({ length: 100 }, (_, index) => `世界.example${index}`), 'a b']

  expect(await server.callTool('typed', { list })).toMatchObject({
    content: [{ text: expect.stringContaining('\'list/100\' must match the format "idn-hostname"') }],
    isError: true,
  })
})

it('results with too many strings to check are rejected', async () => {
  const server = await openLists('idn-hostname')

  expect(await server.callTool('give', { length: 100 })).not.toHaveProperty('isError')
  expect(await server.callTool('give', { length: many })).toMatchObject({ isError: true })
})

/** Tools with lists of strings: one of a single format, and one of any other format. */
async function openLists(format: string): Promise<McpServer> {
  const server = await createServer({
    name: 'formats',
    version: '1.0.0',
    controllers: [],
    logger: pino({ level: 'silent' }),
  })
  const text = { type: 'string', format }
  const list = { type: 'array', items: text }
  const either = { type: 'array', items: { anyOf: [text, { type: 'string' }] } }
  const handler = (): string => 'taken'
  const optional = { list: Type.Optional(Type.Unsafe(list)), either: Type.Optional(Type.Unsafe(either)) }
  const { catalog } = server
  catalog.addTool({ name: 'typed', input: Type.Object(optional), handler })
  catalog.addTool({ name: 'plain', inputSchema: { type: 'object', properties: { list, either } }, handler })
  catalog.addTool({
    name: 'give',
    input: Type.Object({ length: Type.Integer() }),
    output: Type.Object({ list: Type.Unsafe(list) }),
    handler: ({ length }) => ({ list: Array.from({ length }, (_, index) => `世界.example${index}`) }),
  })
  return server
}

it('files in base64 are accepted', async () => {
  const server = await open()
  const takes = async (text: string): Promise<boolean> => (await check(server, 'byte', text))[1] as boolean

  expect(await takes(file)).toBe(true)
  expect(await takes(`${file}QQ==`)).toBe(true)
  expect(await takes(`${file}az09+/==`)).toBe(true)
  expect(await takes(`${file.replaceAll(/.{76}/g, '$&\r\n')}\n`)).toBe(true)
  expect(await takes(`${file}Q`)).toBe(false)
  expect(await takes(`${file}=QUI`)).toBe(false)
  expect(await takes(`${file}QU-_`)).toBe(false)
})

it.each([
  ['int32', 2 ** 31 - 1, 2 ** 31],
  ['int32', -(2 ** 31), 0.5],
  ['int64', 2 ** 40, 0.5],
])('the format %s of plain JSON Schema is validated', async (format, good, bad) => {
  const server = await createServer({ name: 'formats', version: '1.0.0', controllers: [] })
  const properties = { value: { type: 'number', format } }
  server.catalog.addTool({ name: 'plain', inputSchema: { type: 'object', properties }, handler: () => 'taken' })

  expect(await server.callTool('plain', { value: good })).toStrictEqual(taken)
  expect(await server.callTool('plain', { value: bad })).toMatchObject({ isError: true })
})

it.each([
  ['idn-email', 'ada@世界.example', 'ada@'],
  ['idn-hostname', '世界.example', '世界 example'],
  ['iri', 'http://世界.example/', 'a b'],
  ['iri-reference', '/世界', 'a b'],
])('the format %s of plain JSON Schema is validated like in TypeBox', async (format, good, bad) => {
  const server = await openLists(format)

  expect(await server.callTool('plain', { list: [good] })).toStrictEqual(taken)
  expect(await server.callTool('plain', { list: [bad] })).toMatchObject({ isError: true })
})
