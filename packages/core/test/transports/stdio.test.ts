import { EventEmitter, once } from 'node:events'
import { createInterface } from 'node:readline'
import { PassThrough, Readable } from 'node:stream'
import { text as readAll } from 'node:stream/consumers'
import { Authorize, McpContext, McpTool, Type } from '@toolwright/core'
import { createServer, type ServerOptions } from '@toolwright/server'
import { type StdioOptions, serveStdio } from '@toolwright/server/stdio'
import { pino } from 'pino'

const events = new EventEmitter()

class Tools {
  @McpTool({ input: Type.Object({ text: Type.String() }) })
  echo({ text }: { text: string }): string {
    return text
  }

  @McpTool({ input: Type.Object({ times: Type.Integer() }) })
  chatter({ times }: { times: number }, context: McpContext): string {
    for (let time = 1; time <= times; time++) context.progress(time, times, 'x'.repeat(100))
    return 'said'
  }

  @McpTool({ input: Type.Object({ ms: Type.Integer() }) })
  async sleep({ ms }: { ms: number }): Promise<string> {
    await new Promise((resolve) => setTimeout(resolve, ms))
    return 'rested'
  }

  @McpTool()
  async untilAborted({ signal }: McpContext): Promise<void> {
    events.emit('started')
    await once(signal, 'abort')
    events.emit('aborted', signal.reason)
  }

  @McpTool()
  async ask(context: McpContext): Promise<string> {
    const { action } = await context.elicit({ message: 'Sure?', schema: Type.Object({}) })
    return action
  }
}

const options: ServerOptions = {
  name: 'stdio',
  version: '1.0.0',
  controllers: [Tools],
  limits: { maxMessageBytes: 2000, maxDepth: 16, maxKeys: 25, maxItems: 100 },
}

/** Serves the chunks until the input ends, and returns every line that was written. */
async function exchange(chunks: readonly (string | Buffer)[], stdio: StdioOptions = {}): Promise<string[]> {
  const output = new PassThrough()
  await serveStdio(options, { input: Readable.from(chunks.map((chunk) => Buffer.from(chunk))), output, ...stdio })
  const written = await readAll(output.end())
  expect(written === '' || written.endsWith('\n')).toBe(true)
  return written.split('\n').slice(0, -1)
}

async function exchangeMessages(messages: readonly object[], stdio?: StdioOptions): Promise<object[]> {
  const lines = await exchange([messages.map((message) => `${JSON.stringify(message)}\n`).join('')], stdio)
  return lines.map((line) => JSON.parse(line) as object)
}

interface OpenConnection extends AsyncDisposable {
  send(message: object): void
  /** The next written line, parsed. */
  next(): Promise<object>
}

/** A connection that stays open, for messages that depend on earlier responses. */
function open(stdio: StdioOptions = {}): OpenConnection {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const served = serveStdio(options, { input, output, drainMs: 0, ...stdio })
  const lines = createInterface({ input: output })[Symbol.asyncIterator]()
  return {
    send: (message) => void input.write(`${JSON.stringify(message)}\n`),
    next: async () => JSON.parse(((await lines.next()) as { value: string }).value) as object,
    [Symbol.asyncDispose]: async () => {
      input.end()
      await served
    },
  }
}

const request = (id: number | string, method: string, params?: object) => ({ jsonrpc: '2.0', id, method, params })
const call = (id: number | string, name: string, args?: object) => request(id, 'tools/call', { name, arguments: args })
const textResult = (id: number | string, text: string) => ({
  jsonrpc: '2.0',
  id,
  result: { content: [{ type: 'text', text }] },
})
const initialize = (id: number, protocolVersion: string, capabilities = {}) =>
  request(id, 'initialize', { protocolVersion, capabilities, clientInfo: { name: 'raw', version: '1' } })

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}
const modernCall = (id: number | string, name: string, args?: object) =>
  request(id, 'tools/call', { name, arguments: args, _meta: meta })
const serverInfo = { 'io.modelcontextprotocol/serverInfo': { name: 'stdio', version: '1.0.0' } }
const modernResult = (id: number | string, text: string) => ({
  jsonrpc: '2.0',
  id,
  result: { resultType: 'complete', content: [{ type: 'text', text }], _meta: serverInfo },
})

const discover = (id: number) => request(id, 'server/discover', { _meta: meta })
const discovered = (id: number) => ({
  jsonrpc: '2.0',
  id,
  result: {
    resultType: 'complete',
    supportedVersions: ['2026-07-28'],
    capabilities: expect.any(Object),
    ttlMs: 0,
    cacheScope: 'private',
    _meta: serverInfo,
  },
})
const initialized = (id: number, protocolVersion: string) => ({
  jsonrpc: '2.0',
  id,
  result: { protocolVersion, capabilities: expect.any(Object), serverInfo: { name: 'stdio', version: '1.0.0' } },
})

const pong = '{"jsonrpc":"2.0","id":1,"result":{}}'
const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}'

describe('framing', () => {
  it('answers each line with one line', async () => {
    expect(await exchange([`${ping}\n`])).toEqual([pong])
  })

  it('joins a message that arrives byte by byte, also within a character', async () => {
    const text = 'a é 世 \u{1f600}'
    const bytes = Buffer.from(`${JSON.stringify(call(1, 'echo', { text }))}\n`)
    const lines = await exchange(Array.from(bytes, (byte) => Buffer.from([byte])))
    expect(lines.map((line) => JSON.parse(line))).toEqual([textResult(1, text)])
  })

  it('splits messages that arrive together, regardless of chunk boundaries', async () => {
    const joined = `${ping}\n${ping.replace(':1', ':2')}\n${ping.replace(':1', ':3')}\n`
    const expected = [pong, pong.replace(':1', ':2'), pong.replace(':1', ':3')]
    expect(await exchange([joined])).toEqual(expected)
    expect(await exchange([joined.slice(0, 60), joined.slice(60)])).toEqual(expected)
  })

  it('accepts CRLF as a line break, and skips empty lines', async () => {
    expect(await exchange([`\n\r\n${ping}\r\n\n${ping}\r`, '\n\r\n'])).toEqual([pong, pong])
  })

  it('never writes a line break within a message', async () => {
    const text = 'one\ntwo\r\nthree \u2028 four'
    expect(await exchangeMessages([call(1, 'echo', { text })])).toEqual([textResult(1, text)])
  })

  it('writes nothing without a request', async () => {
    const notification = { jsonrpc: '2.0', method: 'notifications/initialized' }
    const response = { jsonrpc: '2.0', id: 7, result: {} }
    expect(await exchangeMessages([notification, response, { jsonrpc: '2.0', method: 'unheard/of' }])).toEqual([])
    expect(await exchange([])).toEqual([])
  })
})

function list(start: string, length: number, item: string, close: string): string {
  return `${start}${Array(length).fill(item).join()}${close}`
}

describe('input lines', () => {
  const tooManyKeys = 'Invalid Request: the objects of a message together must have at most 25 keys'
  const tooManyItems = 'Invalid Request: the arrays of a message together must have at most 100 items'
  const tooLong =
    '{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Invalid Request: a message must have at most 2000 bytes"}}'

  it('are rejected if they are too long, and the next line is served', async () => {
    const line = JSON.stringify(call(1, 'echo', { text: 'x'.repeat(5000) }))
    expect(await exchange([`${line}\n${ping}\n`])).toEqual([tooLong, pong])
    const pieces = Array.from({ length: 51 }, (_, index) => line.slice(index * 100, index * 100 + 100))
    expect(await exchange([...pieces, `\n${ping}`, '\n'])).toEqual([tooLong, pong])
  })

  it('can have exactly the maximum length', async () => {
    const padding = ' '.repeat(2000 - ping.length)
    expect(await exchange([`${padding}${ping}\n`])).toEqual([pong])
    expect(await exchange([`${padding} ${ping}\n`])).toEqual([tooLong])
  })

  it('can have the maximum number of keys and items', async () => {
    // The limit includes the keys and items of the message itself.
    const params = `{"a":${list('{', 19, '"":0', '}')},"b":${list('[', 100, '0', ']')}}`
    expect(await exchange([`{"jsonrpc":"2.0","id":1,"method":"ping","params":${params}}\n`])).toEqual([pong])
  })

  it.each([
    ['no JSON', '{"jsonrpc":', -32700, 'Parse error: the message is not valid JSON'],
    ['invalid UTF-8', Buffer.from([0x22, 0xff, 0x22]), -32700, 'Parse error: the message is not valid UTF-8'],
    ['a string', '"ping"', -32600, 'Invalid Request: a message must be a JSON object'],
    ['null', 'null', -32600, 'Invalid Request: a message must be a JSON object without "__proto__" keys'],
    ['deep nesting', '['.repeat(5000), -32600, 'Invalid Request: a message must have at most 2000 bytes'],
    ['nesting', '['.repeat(17), -32600, 'Invalid Request: JSON nested deeper than 16 levels'],
    ['many keys', list('{', 26, '"":0', '}'), -32600, tooManyKeys],
    ['many items', list('[', 101, '0', ']'), -32600, tooManyItems],
    ['no version', '{"method":"ping"}', -32600, 'Invalid Request: "jsonrpc" must be "2.0"'],
  ])('are rejected with an error without id, and the next line is served: %s', async (_kind, line, code, message) => {
    const lines = await exchange([line, `\n${ping}\n`])
    expect(lines.map((text) => JSON.parse(text))).toEqual([
      { jsonrpc: '2.0', error: { code, message } },
      JSON.parse(pong),
    ])
  })

  // Over stdio, only the id tells a client which of its requests was rejected: without the id, the request waits.
  it.each([
    ['many keys', `{"jsonrpc":"2.0","id":7,"method":"ping","params":${list('{', 26, '"":0', '}')}}`, 7],
    ['many items', `{"method":"ping","params":{"a":${list('[', 101, '0', ']')}},"jsonrpc":"2.0","id":-7}`, -7],
    ['nesting', `{"params":${'{"id":9,"a":'.repeat(17)}0${'}'.repeat(17)},"id" : "a\\"b" ,"method":"ping"}`, 'a"b'],
    ['a poisoned key', '{"id":1,"method":"ping","params":{"__proto__":"\\"id\\":9"},"id":"last"}', 'last'],
  ])('are rejected with the id of the request, for %s', async (_kind, line, id) => {
    const [answer] = await exchange([line, '\n'])
    expect(JSON.parse(answer as string)).toMatchObject({ id, error: { code: -32600 } })
  })

  const long = 'x'.repeat(5000)

  it.each([
    ['last', `{"method":"tools/call","params":{"a":"${long}","id":1},"jsonrpc":"2.0","id" : 7 }`, 7],
    ['first', `{"jsonrpc":"2.0","id":"ü\\"","method":"tools/call","params":{"a":"${long}","id":1}}`, 'ü"'],
    ['both first and last', `{"id":1,"method":"ping","a":"${long}","id":"\\"id\\":9}"}`, '"id":9}'],
  ])('are rejected with the id of the request if they are too long and contain the id %s', async (_where, line, id) => {
    const whole = await exchange([`${line}\r\n`])
    const inPieces = await exchange([...line.split(/(?=[,"])/), '\n'])
    expect(whole.map((answer) => JSON.parse(answer) as object)).toMatchObject([{ id, error: { code: -32600 } }])
    expect(inPieces).toEqual(whole)
  })

  it.each([
    ['a response', `{"jsonrpc":"2.0","id":1,"result":{"method":"${long}","id":1}}`],
    ['a response that ends with its id', `{"result":{"a":"${long}"},"jsonrpc":"2.0","id":1}`],
    ['a notification', `{"jsonrpc":"2.0","method":"ping","params":{"a":"${long}","id":1}}`],
    ['a notification with a member that ends like an id', `{"jsonrpc":"2.0","method":"ping","a":"${long}","\\"id":1}`],
    ['a truncated id', `{"jsonrpc":"2.0","method":"ping",${' '.repeat(2009)}"id":1234567,"a":"${long}"}`],
    ['a batch', `[{"jsonrpc":"2.0","method":"ping","params":{"a":"${long}"},"id":1}]`],
  ])('are rejected without an id if they are too long: %s', async (_kind, line) => {
    const [answer] = await exchange([line, '\n'])
    expect(JSON.parse(answer as string)).not.toHaveProperty('id')
  })

  it.each([
    ['a response, whose id is not of a request of the client', '{"jsonrpc":"2.0","id":1,"result":{"__proto__":1}}'],
    ['a notification', '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"id":1,"__proto__":1}}'],
    ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"ping","params":{"__proto__":1}}]'],
    ['an invalid id', '{"jsonrpc":"2.0","id":1.5,"method":"ping","params":{"__proto__":1}}'],
    ['an id without an end', `{"method":"x","id":"${'['.repeat(17)}`],
    ['an id without a value', `{"method":${'['.repeat(17)}${']'.repeat(17)},"id":`],
  ])('are rejected without an id: %s', async (_kind, line) => {
    const [answer] = await exchange([line, '\n'])
    expect(JSON.parse(answer as string)).not.toHaveProperty('id')
  })

  it.each(['[1]', '"x"', '1', 'true'])(
    'get no response if they are notifications with %s as params',
    async (params) => {
      const lines = [`{"jsonrpc":"2.0","method":"notifications/cancelled","params":${params}}\n`, `${ping}\n`]
      expect(await exchange(lines)).toEqual([pong])
    },
  )

  // Parsing four million characters as candidates would keep the process busy for seconds.
  it('are searched for one id only, however many they contain', async () => {
    const parse = jest.spyOn(JSON, 'parse')
    const [answer] = await exchange([`{"method":"ping",${'"id":x,'.repeat(100)}"id":7}`, '\n'])
    const reads = parse.mock.calls.length
    parse.mockRestore()
    expect(JSON.parse(answer as string)).toMatchObject({ id: 7, error: { code: -32600 } })
    expect(reads).toBe(1)
  })

  it('are counted if they are too large', async () => {
    const server = await createServer(options)
    const lines = ['x'.repeat(3000), '['.repeat(17), list('{', 26, '"":0', '}'), list('[', 101, '0', ']'), '{', ping]
    await serveStdio(server, {
      input: Readable.from(lines.map((line) => Buffer.from(`${line}\n`))),
      output: new PassThrough(),
    })
    expect(server.metrics().oversizedMessages).toBe(4)
    await server.close()
  })

  it('can end with the input instead of a line break', async () => {
    expect(await exchange([`\n${ping}`])).toEqual([pong])
  })

  it('are reported when the input ends in the middle', async () => {
    const error = { code: -32700, message: 'Parse error: the message is not valid JSON' }
    const answers = await exchange([`${ping}\n{"jsonrpc":"2.0","id":2,"met`])
    expect(answers.toSorted()).toEqual([JSON.stringify({ jsonrpc: '2.0', error }), pong])
  })
})

describe('concurrent requests', () => {
  it('are served in order of arrival, also long ones and those after them', async () => {
    const started: string[] = []
    const server = await createServer({ ...options, limits: {}, controllers: [] })
    const handler = ({ text }: { text: string }): void => void started.push(text.slice(0, 10))
    server.catalog.addTool({ name: 'note', input: Type.Object({ text: Type.String() }), handler })
    // A message of 1 MB is served in a separate turn.
    const texts = ['long'.padEnd(1_000_000), 'short', 'longer'.padEnd(1_000_000), 'shorter', 'last']
    const lines = texts.map((text, id) => `${JSON.stringify(call(id, 'note', { text }))}\n`)
    await serveStdio(server, { input: Readable.from([Buffer.from(lines.join(''))]), output: new PassThrough() })

    expect(started.map((text) => text.trim())).toStrictEqual(['long', 'short', 'longer', 'shorter', 'last'])
    await server.close()
  })

  it('do not wait for a slow call', async () => {
    const messages = [call('slow', 'sleep', { ms: 20 }), call('fast', 'echo', { text: 'here' })]
    expect(await exchangeMessages(messages)).toEqual([textResult('fast', 'here'), textResult('slow', 'rested')])
  })

  it('are rejected if their id is in flight, and the first request finishes', async () => {
    const messages = [call(1, 'sleep', { ms: 20 }), call(1, 'echo', { text: 'x' }), call('1', 'echo', { text: 'y' })]
    expect(await exchangeMessages(messages)).toEqual([
      {
        jsonrpc: '2.0',
        id: 1,
        error: { code: -32600, message: 'Invalid Request: a request with this id is in flight' },
      },
      textResult('1', 'y'),
      textResult(1, 'rested'),
    ])
  })

  it('can reuse an id after its response', async () => {
    await using connection = open()
    for (const text of ['first', 'second']) {
      connection.send(call(1, 'echo', { text }))
      expect(await connection.next()).toEqual(textResult(1, text))
    }
  })

  it('that are cancelled get no response', async () => {
    const started = once(events, 'started')
    const aborted = once(events, 'aborted')
    await using connection = open()
    connection.send(call(1, 'until_aborted'))
    await started
    connection.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1, reason: 'enough' } })
    await aborted
    connection.send(call(2, 'echo', { text: 'next' }))
    expect(await connection.next()).toEqual(textResult(2, 'next'))
  })
})

describe('the end of the input', () => {
  it('finishes calls in flight, and sends their responses', async () => {
    const messages = [call(1, 'sleep', { ms: 30 }), call(2, 'sleep', { ms: 10 })]
    expect(await exchangeMessages(messages)).toEqual([textResult(2, 'rested'), textResult(1, 'rested')])
  })

  it('cancels calls that exceed the shutdown timeout', async () => {
    const aborted = once(events, 'aborted')
    const messages = [call(1, 'until_aborted'), call(2, 'echo', { text: 'in time' })]
    expect(await exchangeMessages(messages, { drainMs: 10 })).toEqual([textResult(2, 'in time')])
    expect((await aborted)[0]).toMatchObject({ name: 'AbortError', message: 'the input ended' })
  })

  it('ends calls that wait for an answer of the client', async () => {
    const messages = [initialize(1, '2025-11-25', { elicitation: {} }), call(2, 'ask')]
    expect(await exchangeMessages(messages, { drainMs: 60_000 })).toEqual([
      initialized(1, '2025-11-25'),
      expect.objectContaining({ method: 'elicitation/create' }),
      expect.objectContaining({ method: 'notifications/cancelled' }),
      { jsonrpc: '2.0', id: 2, result: { content: [expect.any(Object)], isError: true } },
    ])
  })

  it.each([Infinity, 2 ** 31])('gives calls an infinite or very long time: %p', async (drainMs) => {
    expect(await exchangeMessages([modernCall(1, 'sleep', { ms: 30 })], { drainMs })).toEqual([
      modernResult(1, 'rested'),
    ])
  })

  it('cancels calls at once when the input fails, and ends the server', async () => {
    const ended: string[] = []
    class Waiting {
      @McpTool()
      async wait({ signal }: McpContext): Promise<void> {
        ended.push('began')
        await once(signal, 'abort')
        ended.push(String(signal.reason))
      }

      dispose(): void {
        ended.push('disposed')
      }
    }
    const input = new PassThrough()
    const served = serveStdio(
      { ...options, controllers: [Waiting] },
      { input, output: new PassThrough(), drainMs: 60_000 },
    )
    const failed = served.catch(String)
    input.write(`${JSON.stringify(modernCall(1, 'wait'))}\n`)
    while (ended.length === 0) {
      // oxlint-disable-next-line no-await-in-loop
      await new Promise(setImmediate)
    }
    input.destroy(new Error('torn'))
    expect(await failed).toBe('Error: torn')
    expect(ended).toEqual(['began', 'AbortError: the input failed', 'disposed'])
  })

  it('does not end a server that was created elsewhere', async () => {
    const server = await createServer(options)
    await serveStdio(server, { input: Readable.from([]), output: new PassThrough() })
    const output = new PassThrough()
    await serveStdio(server, { input: Readable.from([Buffer.from(`${ping}\n`)]), output })
    expect(String(output.read())).toBe(`${pong}\n`)
    await server.close()
  })

  it("removes the client's state from a server that was created elsewhere", async () => {
    const server = await createServer(options)
    server.catalog.addResource({ uri: 'notes://one', name: 'one', handler: () => 'one' })
    const messages = [
      initialize(1, '2025-11-25'),
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      request(2, 'resources/subscribe', { uri: 'notes://one' }),
    ]
    const written: string[] = []
    const output = new PassThrough().on('data', (piece: Buffer) => written.push(String(piece)))
    const lines = messages.map((message) => `${JSON.stringify(message)}\n`)
    await serveStdio(server, { input: Readable.from([Buffer.from(lines.join(''))]), output })

    server.catalog.removeTool('echo')
    await new Promise(setImmediate)

    expect(server.metrics().subscribedBytes.value).toBe(0)
    expect(written.join('')).not.toContain('list_changed')
    await server.close()
  })
})

describe('a client that does not read', () => {
  const limits = { maxBufferedBytes: 100_000 }

  it('is not read from until it reads, and then gets every response', async () => {
    const output = new PassThrough()
    const chunk = Buffer.from(`${ping}\n`.repeat(100))
    let taken = 0
    const input = Readable.from(
      (function* () {
        for (; taken < 500; taken++) yield chunk
      })(),
      { highWaterMark: 1 },
    )
    const served = serveStdio({ ...options, limits }, { input, output })
    await new Promise((resolve) => setTimeout(resolve, 300))

    expect(taken).toBeLessThan(100)
    expect(output.writableLength).toBeLessThan(limits.maxBufferedBytes + 50_000)
    let read = 0
    output.on('data', (data: Buffer) => (read += data.length))
    await served
    expect(read).toBe(500 * 100 * (pong.length + 1))
  })

  it('loses messages before a response, but not the response', async () => {
    const output = new PassThrough()
    const input = new PassThrough()
    const served = serveStdio({ ...options, limits }, { input, output })
    const params = { name: 'chatter', arguments: { times: 10_000 }, _meta: { progressToken: 't' } }
    input.write(`${JSON.stringify(request(1, 'tools/call', params))}\n`)
    await new Promise((resolve) => setTimeout(resolve, 300))

    expect(output.writableLength).toBeLessThan(limits.maxBufferedBytes + 50_000)
    const lines: string[] = []
    createInterface({ input: output }).on('line', (line) => lines.push(line))
    input.end()
    await served
    await new Promise(setImmediate)
    expect(JSON.parse(lines.at(-1) ?? '')).toEqual(textResult(1, 'said'))
  })

  it('does not delay the shutdown', async () => {
    const stopped = new AbortController()
    const input = new PassThrough()
    input.write(`${ping}\n`.repeat(5000))
    const output = new PassThrough()
    const served = serveStdio({ ...options, limits }, { input, output, signal: stopped.signal })
    await new Promise((resolve) => setTimeout(resolve, 100))
    stopped.abort()
    await new Promise((resolve) => setTimeout(resolve, 20))
    output.resume()
    await served
    expect(input.destroyed).toBe(true)
  })
})

describe('stdio connections', () => {
  it('answer a probe first, without being pinned to an era', async () => {
    const messages = [
      discover(1),
      initialize(2, '2025-06-18'),
      call(3, 'echo', { text: 'legacy' }),
      discover(4),
      modernCall(5, 'echo', { text: 'modern' }),
    ]
    const answers = (await exchangeMessages(messages)) as { id: number }[]
    expect(answers.toSorted((a, b) => a.id - b.id)).toEqual([
      discovered(1),
      initialized(2, '2025-06-18'),
      textResult(3, 'legacy'),
      discovered(4),
      modernResult(5, 'modern'),
    ])
  })

  it('serve both eras in turn, independently', async () => {
    await using connection = open()
    const turns = [
      [modernCall(1, 'echo', { text: 'a' }), modernResult(1, 'a')],
      [initialize(2, '2024-11-05'), initialized(2, '2024-11-05')],
      [modernCall(3, 'echo', { text: 'b' }), modernResult(3, 'b')],
      [call(4, 'echo', { text: 'c' }), textResult(4, 'c')],
      [request(5, 'ping'), { jsonrpc: '2.0', id: 5, result: {} }],
      [
        request(6, 'ping', { _meta: meta }),
        expect.objectContaining({ error: expect.objectContaining({ code: -32601 }) }),
      ],
      // The revision of `initialize` applies to legacy requests: 2024-11-05 has no error results for invalid arguments.
      [call(7, 'echo'), expect.objectContaining({ error: expect.objectContaining({ code: -32602 }) })],
      [modernCall(8, 'echo'), expect.objectContaining({ result: expect.objectContaining({ isError: true }) })],
    ] as const
    for (const [message, answer] of turns) {
      connection.send(message)
      expect(await connection.next()).toEqual(answer)
    }
  })

  it('serve a legacy request without a handshake', async () => {
    expect(await exchangeMessages([call(1, 'echo', { text: 'hasty' })])).toEqual([textResult(1, 'hasty')])
  })

  it('accept batches from clients of the only revision with batches', async () => {
    const batch = [request(2, 'ping'), { jsonrpc: '2.0', method: 'notifications/initialized' }, request(3, 'ping')]
    await using connection = open()
    connection.send(initialize(1, '2025-03-26'))
    expect(await connection.next()).toEqual(initialized(1, '2025-03-26'))
    connection.send(batch)
    expect(await connection.next()).toEqual([
      { jsonrpc: '2.0', id: 2, result: {} },
      { jsonrpc: '2.0', id: 3, result: {} },
    ])
    connection.send(initialize(4, '2025-11-25'))
    expect(await connection.next()).toEqual(initialized(4, '2025-11-25'))
    connection.send(batch)
    expect(await connection.next()).toEqual({
      jsonrpc: '2.0',
      error: { code: -32600, message: 'Invalid Request: this protocol version does not support batches' },
    })
  })
})

describe('a failing logger', () => {
  const logger = pino({}, { write: () => raise('no space left on the disk') })

  it('does not affect responses or the rest of the connection', async () => {
    const calls = [call(1, 'sleep', { ms: 5 }), call(2, 'echo', { text: 'a' })].map((message) =>
      JSON.stringify(message),
    )
    const input = new PassThrough()
    const output = new PassThrough()
    const lines = createInterface({ input: output })[Symbol.asyncIterator]()
    const next = async (): Promise<unknown> => JSON.parse((await lines.next()).value as string)
    const served = serveStdio({ ...options, logger, limits: { maxInFlight: 1 } }, { input, output })
    input.write(`${calls.join('\n')}\n`)

    expect(await next()).toMatchObject({ id: 2, error: { message: 'The server is busy. Try again in 1 s' } })
    expect(await next()).toMatchObject({ id: 1, result: { content: [{ text: 'rested' }] } })
    input.end(`${JSON.stringify(call(3, 'echo', { text: 'b' }))}\n`)
    expect(await next()).toMatchObject({ id: 3, result: { content: [{ text: 'b' }] } })
    await served
  })

  it('does not end the process when a response cannot be written either', async () => {
    const unhandled: unknown[] = []
    const onUnhandled = (reason: unknown): void => void unhandled.push(reason)
    process.on('unhandledRejection', onUnhandled)
    const output = new PassThrough()
    const write = output.write.bind(output) as (text: string, done?: () => void) => boolean
    output.write = ((text: string, done?: () => void) =>
      text.includes('"result"') ? raise('broken') : write(text, done)) as typeof output.write
    await serveStdio(
      { ...options, logger },
      { input: Readable.from([JSON.stringify(call(1, 'echo', { text: 'a' }))]), output },
    )
    await new Promise((resolve) => setImmediate(resolve))
    process.off('unhandledRejection', onUnhandled)

    expect(unhandled).toEqual([])
  })
})

describe('features that need an authenticated caller', () => {
  class Guarded {
    @McpTool({ description: 'Drops' })
    @Authorize({ roles: ['Admin'] })
    drop(): void {}
  }

  async function warningsOf(stdio: StdioOptions): Promise<readonly unknown[]> {
    const warnings: unknown[] = []
    const logger = pino(
      { level: 'warn' },
      { write: (line) => void warnings.push((JSON.parse(line) as { msg: unknown }).msg) },
    )
    const served = { ...options, controllers: [Guarded], logger }
    await serveStdio(served, { input: Readable.from([]), output: new PassThrough(), ...stdio })
    return warnings
  }

  it('are named in the log if the client has no principal', async () => {
    expect(await warningsOf({})).toEqual([
      'drop: they need an authenticated caller, and stdio does not authenticate callers. Pass a principal to serveStdio, or ' +
        'put @AllowAnonymous() on public features. With serve, set `stdio: { principal }`',
    ])
  })

  it('are not named for a client with a principal', async () => {
    expect(await warningsOf({ principal: { subject: 'ada' } })).toEqual([])
  })
})

function raise(message: string): never {
  throw new Error(message)
}
