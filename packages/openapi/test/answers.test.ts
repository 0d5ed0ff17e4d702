import { Writable } from 'node:stream'
import { pino } from 'pino'
import { startApi } from './support/api.js'
import { documentOf, operationOf, quiet, serveDocument, textOf } from './support/serve.js'

function answering(schema: unknown, type = 'application/json'): Record<string, unknown> {
  return operationOf({ responses: { 200: { description: 'ok', content: { [type]: { schema } } } } })
}

const thing = {
  type: 'object',
  properties: { id: { type: 'integer' }, url: { type: 'string', format: 'uri' } },
  required: ['id'],
}

/** Collects the log of a server. */
function collectLog() {
  const lines: Record<string, unknown>[] = []
  const stream = new Writable({
    write(chunk: Buffer, _, done) {
      lines.push(JSON.parse(chunk.toString()) as Record<string, unknown>)
      done()
    },
  })
  return { lines, logger: pino({ level: 'debug' }, stream) }
}

describe('an answer', () => {
  it('that matches the schema of the document is structured content', async () => {
    await using api = await startApi(() => ({ body: '{ "id": 1, "url": "" }' }))
    await using served = await serveDocument({ document: answering(thing) }, api)
    await served.client.listTools()
    const result = await served.call('call')
    expect(result).toMatchObject({
      structuredContent: { id: 1, url: '' },
      content: [{ type: 'text', text: '{"id":1,"url":""}' }],
    })
  })

  it.each(['modern', 'legacy'] as const)(
    'that deviates still reaches the model, and is logged once (%s)',
    async (era) => {
      const { lines, logger } = collectLog()
      await using api = await startApi(() => ({ body: '{"id":"one"}' }))
      await using served = await serveDocument({ document: answering(thing) }, api, { lane: 'http', era }, { logger })
      // The client checks structured content against the listed schema.
      await served.client.listTools()
      for (const _ of [1, 2]) {
        const result = await served.call('call')
        expect(textOf(result)).toBe('{"id":"one"}')
        expect(result).toMatchObject({ structuredContent: { unexpected_answer: { id: 'one' } } })
      }
      expect(lines.filter(({ msg }) => msg === 'an answer of the API deviates from its document')).toMatchObject([
        { operation: 'GET /things', tool: 'call', reason: 'the answer does not match the schema of the document' },
      ])
    },
  )

  it('that deviates is an error with validate: strict', async () => {
    await using api = await startApi((_, count) => ({ body: count === 1 ? '{"id":1}' : '{"id":"one"}' }))
    await using served = await serveDocument({ document: answering(thing), validate: 'strict' }, api)
    await served.client.listTools()
    expect(await served.call('call')).toMatchObject({ structuredContent: { id: 1 } })
    expect(await served.call('call')).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/does not match its document/) }],
    })
  })

  it('that is a list is the member result', async () => {
    await using api = await startApi(() => ({ body: '[{"id":1}]' }))
    await using served = await serveDocument({ document: answering({ type: 'array', items: thing }) }, api)
    await served.client.listTools()
    expect(await served.call('call')).toMatchObject({
      structuredContent: { result: [{ id: 1 }] },
      content: [{ text: '[{"id":1}]' }],
    })
  })

  it('keeps integers that JavaScript would round', async () => {
    await using api = await startApi(() => ({ body: '{"id": 12345678901234567890}' }))
    await using served = await serveDocument({ document: answering(thing) }, api)
    await served.client.listTools()
    expect(await served.text('call')).toBe('{"id": 12345678901234567890}')
  })

  it.each([
    ['without a body', { status: 204 }, /answered 204 without content: the operation succeeded/],
    ['of text', { headers: { 'content-type': 'text/plain' }, body: 'hello' }, /^hello$/],
    [
      'in another encoding',
      { headers: { 'content-type': 'text/plain; charset=iso-8859-1' }, body: Buffer.from([0xfc]) },
      /^ü$/,
    ],
    ['of broken JSON', { body: '{"a":' }, /^\{"a":$/],
  ])('%s is told as text', async (_, answer, text) => {
    for (const document of [operationOf({}), answering(thing)]) {
      await using api = await startApi(() => answer)
      await using served = await serveDocument({ document }, api)
      await served.client.listTools()
      const result = await served.call('call')
      expect(textOf(result)).toMatch(text)
      expect(result.isError).not.toBe(true)
    }
  })

  it.each([
    ['image/png', { type: 'image', mimeType: 'image/png', data: 'AP8=' }],
    ['audio/mpeg', { type: 'audio', mimeType: 'audio/mpeg', data: 'AP8=' }],
    [
      'application/pdf',
      { type: 'resource', resource: { uri: 'openapi:call', mimeType: 'application/pdf', blob: 'AP8=' } },
    ],
  ])('of bytes keeps its type: %s', async (type, content) => {
    await using api = await startApi(() => ({ headers: { 'content-type': type }, body: Buffer.from([0, 255]) }))
    await using served = await serveDocument({ document: operationOf({}) }, api)
    expect(await served.call('call')).toMatchObject({ content: [content] })
  })

  it('with more bytes than the limit tells how to ask for less', async () => {
    const parameters = ['limit', 'fields'].map((name) => ({ name, in: 'query', schema: {} }))
    await using api = await startApi(() => ({ body: `"${'x'.repeat(5000)}"` }))
    await using served = await serveDocument({ document: operationOf({ parameters }), maxAnswerBytes: 1000 }, api)
    expect(await served.call('call')).toMatchObject({
      isError: true,
      content: [{ text: 'The answer of the API has too many bytes. Ask for less, with the arguments limit, fields.' }],
    })
  })

  it('with a next page tells its arguments', async () => {
    const parameters = ['page[number]', 'q'].map((name) => ({ name, in: 'query', schema: { type: 'string' } }))
    const link =
      '<https://internal.example/things?page%5Bnumber%5D=2&q=a%20b&secret=1>; rel="next", <https://x/>; rel="last"'
    await using api = await startApi(() => ({ body: '[]', headers: { link } }))
    await using served = await serveDocument({ document: operationOf({ parameters }) }, api)
    expect(await served.text('call')).toBe(
      '[]\nThere are more results. For the next page, call with page_number="2", q="a b".',
    )
  })

  it('is listed with a schema of its structure only', async () => {
    const schema = {
      type: 'object',
      description: 'x',
      properties: { a: { type: 'string', format: 'uri', pattern: '^a', description: 'y' } },
    }
    await using served = await serveDocument({ document: answering(schema), baseUrl: 'https://api.example.com' }, null)
    const { tools } = await served.client.listTools()
    expect(tools[0]?.outputSchema).toMatchObject({
      type: 'object',
      anyOf: [{ type: 'object', properties: { a: { type: 'string' } } }, {}],
    })
  })
})

describe('an error of the API', () => {
  it.each([
    [
      400,
      {},
      '{"message":"bad id"}',
      'The API answered 400 Bad Request to GET /things. Correct the arguments. The answer: {"message":"bad id"}',
    ],
    [401, {}, '', /401 Unauthorized .* does not know the caller. Repeating the call does not help/],
    [403, {}, '', /403 Forbidden .* not allowed to do this/],
    [404, {}, '', /404 Not Found .* Check the arguments/],
    [409, {}, '', /409 Conflict .* Read it again first/],
    [418, {}, '', /418 to GET \/things\. Correct the arguments/],
    [429, { 'retry-after': '30' }, '', /429 Too Many Requests .* Try again after 30 seconds/],
    [429, {}, '', /Try again later/],
    [
      500,
      { 'content-type': 'text/html' },
      '<html>stack trace</html>',
      /500 Internal Server Error to GET \/things. The fault is in the API, and not in the arguments.$/,
    ],
    [503, { 'retry-after': '3600' }, '', /Try again after 3600 seconds/],
  ])('is told to the model with its cause: %s %j', async (status, headers, body, text) => {
    await using api = await startApi(() => ({ status, headers: headers, body }))
    await using served = await serveDocument({ document: answering(thing) }, api)
    await served.client.listTools()
    const result = await served.call('call')
    expect(result.isError).toBe(true)
    expect(textOf(result)).toMatch(text)
  })

  it('is shortened', async () => {
    await using api = await startApi(() => ({ status: 422, body: JSON.stringify({ message: 'x'.repeat(100_000) }) }))
    await using served = await serveDocument({ document: operationOf({}) }, api)
    expect((await served.text('call')).length).toBeLessThan(4200)
  })
})

describe('a request without an answer', () => {
  it.each([
    ['get', 'reset', /^The connection to the API failed. Try again later.$/],
    ['post', 'reset', /^The connection to the API failed. .* The operation may have been carried out/],
    ['get', 'hang', /^The API did not answer in time. Try again later, or ask for less.$/],
    ['post', 'hang', /^The API did not answer in time. .* The operation may have been carried out/],
  ] as const)('is told to the model: %s, %s', async (method, outcome, text) => {
    const { lines, logger } = collectLog()
    await using api = await startApi(() => outcome)
    await using served = await serveDocument(
      { document: operationOf({}, '/things', method), timeoutMs: 300, maxRetries: 0 },
      api,
      {},
      { logger },
    )
    const result = await served.call('call')
    expect(result.isError).toBe(true)
    expect(textOf(result)).toMatch(text)
    expect(lines.some(({ msg }) => msg === 'the API gave no answer')).toBe(true)
  })

  it('ends when the client cancels the call', async () => {
    let arrived = (): void => undefined
    const arrival = new Promise<void>((resolve) => (arrived = resolve))
    await using api = await startApi(() => {
      arrived()
      return 'hang'
    })
    await using served = await serveDocument({ document: operationOf({}) }, api)
    const controller = new AbortController()
    const call = served.client.callTool({ name: 'call', arguments: {} }, { signal: controller.signal })
    await arrival
    controller.abort()
    await expect(call).rejects.toThrow(/abort/i)
  })
})

describe('repeating', () => {
  it.each([
    ['get', 3],
    ['put', 3],
    ['delete', 3],
    ['post', 1],
    ['patch', 1],
  ])('is limited to what is safe to repeat: %s is sent %s times', async (method, times) => {
    await using api = await startApi(() => 'reset')
    await using served = await serveDocument({ document: operationOf({}, '/things', method) }, api)
    await served.call('call')
    expect(api.received).toHaveLength(times)
  })

  it('follows 503 with Retry-After', async () => {
    await using api = await startApi((_, count) =>
      count === 1 ? { status: 503, headers: { 'retry-after': '0' } } : { body: '"ok"' },
    )
    await using served = await serveDocument({ document: operationOf({}) }, api)
    expect(await served.text('call')).toBe('"ok"')
    expect(api.received).toHaveLength(2)
  })

  it.each([
    ['without Retry-After', { status: 503 }],
    ['that asks to wait longer than the call can', { status: 503, headers: { 'retry-after': '999999' } }],
    ['for 500', { status: 500, headers: { 'retry-after': '0' } }],
    ['for 429', { status: 429, headers: { 'retry-after': '0' } }],
  ])('does not happen %s', async (_, answer) => {
    await using api = await startApi(() => answer)
    await using served = await serveDocument({ document: operationOf({}) }, api)
    await served.call('call')
    expect(api.received).toHaveLength(1)
  })
})

describe('the log', () => {
  it('has no headers, no arguments and no answers', async () => {
    const { lines, logger } = collectLog()
    await using api = await startApi(() => ({ body: '"answer-secret"' }))
    const parameters = [{ name: 'q', in: 'query', schema: { type: 'string' } }]
    const auth = () => ({ headers: { authorization: 'Bearer header-secret' }, query: { key: 'query-secret' } })
    await using served = await serveDocument(
      { document: operationOf({ parameters }), auth },
      api,
      {},
      { ...quiet, logger },
    )
    await served.call('call', { q: 'argument-secret' })
    expect(lines.find(({ msg }) => msg === 'the API was called')).toMatchObject({
      operation: 'GET /things',
      status: 200,
      bytes: 15,
    })
    expect(JSON.stringify(lines)).not.toMatch(/-secret/)
  })
})

describe('texts of a document', () => {
  it('reach the model without invisible characters, and within limits', async () => {
    const hidden = 'visible\u0007\u{e0049}\u{e0067}\u200b\u202e text'
    const document = documentOf({
      '/a': {
        get: {
          operationId: 'call',
          summary: hidden,
          description: `[link](https://evil.example/) ${'x'.repeat(5000)}`,
          parameters: [{ name: 'q', in: 'query', description: hidden + 'y'.repeat(5000), schema: { type: 'string' } }],
        },
      },
    })
    await using served = await serveDocument({ document, baseUrl: 'https://api.example.com' }, null)
    const { tools } = await served.client.listTools()
    const [{ description = '', inputSchema } = { inputSchema: undefined }] = tools
    expect(description).toMatch(/^visible text\nlink x+…$/)
    expect(description.length).toBeLessThanOrEqual(1024)
    expect(inputSchema?.properties).toMatchObject({ q: { description: expect.stringMatching(/^visible texty+…$/) } })
  })
})
