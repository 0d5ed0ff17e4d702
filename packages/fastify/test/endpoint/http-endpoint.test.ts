import { connect } from 'node:net'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import {
  closeApps,
  connectTo,
  legacyMessage,
  listen,
  modernMessage,
  openApp,
} from '../../../../test/support/client/index.js'
import { gaugesOf } from '../../../../test/support/gauges.js'
import { until } from '../../../../test/support/until.js'

afterEach(closeApps)

/** Sends raw bytes and returns everything received until the connection closes. */
function exchange(port: number, ...parts: (string | Buffer)[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    const received: Buffer[] = []
    socket.on('data', (bytes: Buffer) => received.push(bytes))
    socket.on('error', (error: NodeJS.ErrnoException) => (error.code === 'EPIPE' ? undefined : reject(error)))
    socket.on('close', () => resolve(Buffer.concat(received).toString('latin1')))
    for (const part of parts) socket.write(part)
  })
}

function head(...lines: string[]): string {
  return ['POST /mcp HTTP/1.1', 'Connection: close', ...lines, '', ''].join('\r\n')
}

const json = 'Content-Type: application/json'
const host = 'Host: localhost'

describe('HTTP methods', () => {
  it.each([
    ['GET outside a session', 'GET', 'POST, DELETE', ', or GET with the Mcp-Session-Id of a session'],
    ['PUT', 'PUT', 'GET, POST, DELETE', ''],
    ['PATCH', 'PATCH', 'GET, POST, DELETE', ''],
    ['OPTIONS', 'OPTIONS', 'GET, POST, DELETE', ''],
  ] as const)('are rejected: %s', async (_what, method, allow, others) => {
    const app = await openApp()

    const reply = await app.inject({ method, url: '/mcp' })

    expect([reply.statusCode, reply.headers['allow'], reply.json()]).toStrictEqual([
      405,
      allow,
      { jsonrpc: '2.0', error: { code: -32600, message: `Method Not Allowed: use ${allow}${others}` } },
    ])
  })

  it('are rejected without a body for HEAD', async () => {
    const app = await openApp()

    const reply = await app.inject({ method: 'HEAD', url: '/mcp' })

    expect([reply.statusCode, reply.headers['allow'], reply.body]).toStrictEqual([405, 'GET, POST, DELETE', ''])
  })

  it.each<[string, string, string]>([
    ['broken JSON', 'application/json', '{'],
    ['a valid request', 'application/json', JSON.stringify(legacyMessage('ping'))],
    ['another kind of body', 'text/plain', 'hello'],
  ])('are rejected regardless of the rest of the request: %s', async (_what, type, payload) => {
    const app = await openApp()

    const replies = await Promise.all(
      (['PUT', 'PATCH', 'OPTIONS'] as const).map((method) =>
        app.inject({ method, url: '/mcp', payload, headers: { 'content-type': type } }),
      ),
    )

    expect(replies.map(({ statusCode }) => statusCode)).toStrictEqual([405, 405, 405])
  })

  it('do not include GET for an event stream', async () => {
    const app = await openApp()

    const reply = await app.inject({ method: 'GET', url: '/mcp', headers: { accept: 'text/event-stream' } })

    expect([reply.statusCode, reply.headers['allow']]).toStrictEqual([405, 'POST, DELETE'])
  })

  it('ignore the body of DELETE', async () => {
    const app = await openApp()
    const opened = await connectTo(app, { era: 'legacy' }).initialize('2025-06-18')
    const headers = { 'mcp-session-id': String(opened.headers['mcp-session-id']), 'content-type': 'application/json' }

    const reply = await app.inject({ method: 'DELETE', url: '/mcp', headers, payload: '' })

    expect(reply.statusCode).toBe(200)
  })
})

function charset(name: string): Record<string, string> {
  return { 'content-type': `application/json; charset=${name}` }
}

describe('the content type', () => {
  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'APPLICATION/JSON',
    'application/json ; x=y',
  ])('can be %s', async (type) => {
    const client = connectTo(await openApp(), { era: 'legacy' })

    expect((await client.send(legacyMessage('ping'), { 'content-type': type })).status).toBe(200)
  })

  it.each([
    'text/plain',
    'text/json',
    'application/jsonx',
    'application/json-rpc',
    'application/json-seq',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/octet-stream',
    'text/plain; application/json',
    'application/xml',
    'json',
    '',
    undefined,
  ])('cannot be %p', async (type) => {
    const app = await openApp()

    const replies = [
      await connectTo(app, { era: 'legacy' }).send(legacyMessage('ping'), { 'content-type': type }),
      await connectTo(app).request('server/discover', {}, { headers: { 'content-type': type } }),
    ]

    for (const reply of replies) {
      expect([reply.status, reply.json]).toStrictEqual([
        415,
        { jsonrpc: '2.0', error: { code: -32600, message: 'Unsupported Media Type: send application/json' } },
      ])
    }
  })

  it('must be UTF-8: other charsets are rejected', async () => {
    const client = connectTo(await openApp(), { era: 'legacy' })
    const text = JSON.stringify(legacyMessage('ping', { note: 'é' }))

    const statuses = [
      await client.send(Buffer.from(text, 'utf8'), charset('latin1')),
      await client.send(Buffer.from(text, 'latin1'), charset('latin1')),
      await client.send(Buffer.from(text, 'utf16le'), charset('utf-16')),
      await client.send(Buffer.from(text, 'utf8'), charset('nonsense')),
    ].map(({ status }) => status)

    expect(statuses).toStrictEqual([415, 415, 415, 415])
  })

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ])('has no encoding: %s is rejected', async (encoding, compress) => {
    const client = connectTo(await openApp(), { era: 'legacy' })

    const reply = await client.send(compress(JSON.stringify(legacyMessage('ping'))), { 'content-encoding': encoding })

    expect([reply.status, reply.json.error.code]).toStrictEqual([415, -32600])
  })
})

/** A request of exactly this many bytes. */
function padded(size: number): string {
  const message = JSON.stringify(legacyMessage('ping', { pad: '' }))
  return message.replace('""', `"${'x'.repeat(size - message.length)}"`)
}

/** One chunk of a chunked body. */
function chunk(text: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n`
}

describe('the size of a body', () => {
  const limit = 1000
  const tooLarge = {
    jsonrpc: '2.0',
    error: { code: -32600, message: `Content Too Large: a message must have at most ${limit} bytes` },
  }

  it('is limited exactly, to the byte', async () => {
    const client = connectTo(await openApp({ limits: { maxMessageBytes: limit } }), { era: 'legacy' })

    expect((await client.send(padded(limit - 1))).status).toBe(200)
    expect((await client.send(padded(limit))).status).toBe(200)
    const reply = await client.send(padded(limit + 1))
    expect([reply.status, reply.json, reply.headers['connection']]).toStrictEqual([413, tooLarge, 'close'])
  })

  it('closes the connection if it exceeds the limit, also if a hook of the application detects that', async () => {
    const app = await openApp()
    const found = Object.assign(new Error('found by the hook'), { statusCode: 413 })
    app.addHook('preParsing', (_request, _reply, _payload, done) => done(found))

    const reply = await connectTo(app, { era: 'legacy' }).request('ping')

    expect([reply.status, reply.headers['connection']]).toStrictEqual([413, 'close'])
  })

  it('is limited in bytes, not in characters', async () => {
    const client = connectTo(await openApp({ limits: { maxMessageBytes: limit } }), { era: 'legacy' })

    expect((await client.send(padded(limit - 1).replace('x', 'é'))).status).toBe(200)
    expect((await client.send(padded(limit).replace('x', 'é'))).status).toBe(413)
  })

  it('is independent of the limit of the application', async () => {
    const client = connectTo(await openApp({ fastify: { bodyLimit: 100 } }), { era: 'legacy' })

    expect((await client.send(padded(2_000_000))).status).toBe(200)
  })

  it('is 4 MiB by default', async () => {
    const client = connectTo(await openApp(), { era: 'legacy' })

    expect((await client.send(padded(4 * 1024 * 1024))).status).toBe(200)
    expect((await client.send(padded(4 * 1024 * 1024 + 1))).status).toBe(413)
  })

  it('is counted for chunked bodies without a length', async () => {
    const app = await openApp({ limits: { maxMessageBytes: limit } })
    const port = await listen(app)
    const chunked = head(host, json, 'Transfer-Encoding: chunked')
    const body = padded(limit)

    const good = await exchange(port, chunked, chunk(body.slice(0, 10)), chunk(body.slice(10)), '0\r\n\r\n')
    const endless = await exchange(port, chunked, ...Array.from({ length: 50 }, () => chunk('x'.repeat(100))))

    expect(good).toMatch(/^HTTP\/1\.1 200 /)
    expect(endless).toMatch(/^HTTP\/1\.1 413 /)
    expect(endless).toContain(JSON.stringify(tooLarge))
  })

  it('is checked as soon as the Content-Length header announces it', async () => {
    const app = await openApp({ limits: { maxMessageBytes: limit } })

    const reply = await exchange(await listen(app), head(host, json, 'Content-Length: 1000000000'), '{"jsonrpc"')

    expect(reply).toMatch(/^HTTP\/1\.1 413 /)
    expect(reply).toContain(JSON.stringify(tooLarge))
  })
})

describe('raw requests', () => {
  const body = JSON.stringify(modernMessage('tools/call', { name: 'greet', arguments: { who: 'Zoë' } }))
  const length = `Content-Length: ${Buffer.byteLength(body)}`
  const standard = [host, json, length, 'MCP-Protocol-Version: 2026-07-28', 'Mcp-Method: tools/call', 'Mcp-Name: greet']
  const greet = {
    name: 'greet',
    inputSchema: { type: 'object', properties: { who: { type: 'string', 'x-mcp-header': 'Who' } } },
    handler: ({ who }: { who: string }) => `Hello, ${who}!`,
  }
  const who = 'Mcp-Param-Who: =?base64?Wm/Dqw==?='
  const statusOf = async (lines: string[]): Promise<string> => {
    const app = await openApp({ tools: [greet] })
    const [, status = '', code = ''] =
      /^HTTP\/1\.1 (\d+) .*?(?:"code":(-\d+)|$)/s.exec(await exchange(await listen(app), head(...lines), body)) ?? []
    return `${status} ${code}`.trim()
  }

  it('are served', async () => {
    expect(await statusOf([...standard, who])).toBe('200')
  })

  it.each<[string, string]>([
    ['MCP-Protocol-Version', 'MCP-Protocol-Version: 2026-07-28'],
    ['Mcp-Method', 'mcp-method: tools/call'],
    ['Mcp-Name', 'MCP-NAME: greet'],
    ['Mcp-Param', who],
  ])('are rejected if they repeat %s', async (_what, line) => {
    expect(await statusOf([...standard, who, line])).toBe('400 -32020')
  })

  it('can have white space around a value', async () => {
    const spaced = [...standard, who].map((line) =>
      line.startsWith('M') ? `${line.replace(': ', ': \t  ')} \t` : line,
    )

    expect(await statusOf(spaced)).toBe('200')
  })

  it.each<[string, Buffer]>([
    ['Latin-1', Buffer.from('Mcp-Param-Who: Zo\u00eb', 'latin1')],
    ['UTF-8', Buffer.from('Mcp-Param-Who: Zoë', 'utf8')],
    ['a no-break space', Buffer.from(`${who}\u00a0`, 'latin1')],
  ])('cannot have %s in a value', async (_what, line) => {
    expect(await statusOf([...standard, line.toString('latin1')])).toBe('400 -32020')
  })

  it('are rejected without a Host, also in HTTP/1.0', async () => {
    const port = await listen(await openApp())
    const old = ['POST /mcp HTTP/1.0', json, 'Content-Length: 2', '', '{}'].join('\r\n')

    expect(await exchange(port, old)).toMatch(/^HTTP\/1\.[01] 403 [^]*the host '' is not allowed/)
    expect(await exchange(port, head(json, 'Content-Length: 2'), '{}')).toMatch(/^HTTP\/1\.1 400 /)
  })

  it('with an empty body get the error for an empty body', async () => {
    const port = await listen(await openApp())

    const answered = await exchange(port, head(host, json, 'Content-Length: 0'))

    expect(answered).toMatch(/^HTTP\/1\.1 400 [^]*"Parse error: the body is empty"/)
  })

  it('that end early have no effect', async () => {
    const app = await openApp()
    const port = await listen(app)
    await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const socket = connect(port, '127.0.0.1')
        socket.on('error', () => undefined)
        await new Promise((resolve) => {
          socket.write(`${head(host, json, 'Content-Length: 500')}{"jsonrpc"${' '.repeat(index)}`, resolve)
        })
        socket.destroy()
      }),
    )

    expect((await connectTo(app, { era: 'legacy' }).request('ping')).status).toBe(200)
  })
})

test('connections are counted while they are open', async () => {
  const app = await openApp()
  const port = await listen(app)
  const open = (): number | undefined => gaugesOf(app.mcp, 'connections')['connections_open']
  const sockets = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')]
  await until(() => open() === 2)

  sockets[0]?.destroy()
  await until(() => open() === 1)

  sockets[1]?.destroy()
  await until(() => open() === 0)
  expect(open()).toBe(0)
})
