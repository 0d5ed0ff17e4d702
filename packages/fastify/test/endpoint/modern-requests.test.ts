import type { McpContext } from '@toolwright/core'
import {
  closeApps,
  connectTo,
  legacyMessage,
  metaKeys,
  modernMessage,
  modernVersion,
  openApp,
  serverMeta,
  type TestTool,
  toolCall,
} from '../../../../test/support/client/index.js'
import { sendsHostileRequests } from '../../../../test/support/frames/frames.js'

const named = (name: string): TestTool => ({ name, handler: () => name })

/** Returns the data of its request. */
const who: TestTool = {
  name: 'who',
  handler: (_args, context) => ({
    version: context.protocolVersion,
    client: context.clientInfo,
    capabilities: context.clientCapabilities,
    meta: context.meta,
    requestId: context.requestId,
    method: context.method,
  }),
}

afterEach(closeApps)

describe('server/discover', () => {
  it('lists the capabilities, and the time for which clients may cache them', async () => {
    const client = connectTo(
      await openApp({
        title: 'Wire',
        instructions: 'Be raw.',
        cache: { ttlMs: 5000, cacheScope: 'public' },
      }),
    )

    const reply = await client.request('server/discover')

    expect(reply.status).toBe(200)
    expect(reply.json).toStrictEqual({
      jsonrpc: '2.0',
      id: 1,
      result: {
        resultType: 'complete',
        supportedVersions: [modernVersion],
        capabilities: { tools: { listChanged: true }, logging: {} },
        instructions: 'Be raw.',
        ttlMs: 5000,
        cacheScope: 'public',
        _meta: { [metaKeys.server]: { name: 'wire', title: 'Wire', version: '1.0.0' } },
      },
    })
  })

  it('has safe caching hints by default', async () => {
    const client = connectTo(await openApp())

    const { result } = (await client.request('server/discover')).json

    expect(result).toStrictEqual({
      resultType: 'complete',
      supportedVersions: [modernVersion],
      capabilities: { tools: { listChanged: true }, logging: {} },
      ttlMs: 0,
      cacheScope: 'private',
      _meta: serverMeta,
    })
  })
})

describe('the _meta of a request', () => {
  const capabilities = { [metaKeys.capabilities]: undefined }
  const version = { [metaKeys.version]: undefined }

  it.each<[string, object, string]>([
    ['has no clientCapabilities', capabilities, metaKeys.capabilities],
    ['has null for clientCapabilities', { [metaKeys.capabilities]: null }, metaKeys.capabilities],
    ['has a list for clientCapabilities', { [metaKeys.capabilities]: [] }, metaKeys.capabilities],
    ['has text for clientCapabilities', { [metaKeys.capabilities]: '{}' }, metaKeys.capabilities],
    ['has a number for its version', { [metaKeys.version]: 1 }, metaKeys.version],
    [
      'has neither in a usable form',
      { [metaKeys.version]: 1, [metaKeys.capabilities]: 1 },
      `${metaKeys.version}, ${metaKeys.capabilities}`,
    ],
  ])('is rejected with 400 when it %s', async (_what, meta, missing) => {
    const client = connectTo(await openApp())

    const reply = await client.request('tools/list', {}, { meta })

    expect([reply.status, reply.json]).toStrictEqual([
      400,
      { jsonrpc: '2.0', id: 1, error: { code: -32602, message: `Missing required _meta fields: ${missing}` } },
    ])
  })

  it('is rejected with 400 when the header has a modern version, but _meta or its version is missing', async () => {
    const client = connectTo(await openApp())
    const headers = { 'mcp-protocol-version': modernVersion, 'mcp-method': 'tools/list' }

    const replies = [
      await client.send(legacyMessage('tools/list'), headers),
      await client.request('tools/list', {}, { meta: version, headers }),
    ]

    expect(replies.map(({ status, json }) => [status, json.error.code])).toStrictEqual([
      [400, -32602],
      [400, -32602],
    ])
  })

  it('can omit clientInfo, and reaches the handler unchanged', async () => {
    const modern = connectTo(await openApp({ tools: [who] }))
    const own = { 'com.example/anything': [1, { a: null }], traceparent: 'not a trace', progressToken: 7 }

    const { result } = (await modern.call('who', {}, { meta: own })).json

    expect(JSON.parse(result.content[0].text)).toStrictEqual({
      version: modernVersion,
      client: null,
      capabilities: {},
      meta: { [metaKeys.version]: modernVersion, [metaKeys.capabilities]: {}, ...own },
      requestId: 1,
      method: 'tools/call',
    })
  })

  it('has the client info and capabilities for one request', async () => {
    const modern = connectTo(await openApp({ tools: [who] }))
    const meta = {
      [metaKeys.client]: { name: 'raw', version: '2.0.0', title: 'Raw', extra: 1 },
      [metaKeys.capabilities]: { elicitation: {}, roots: { listChanged: true } },
    }

    const first = (await modern.call('who', {}, { meta })).json.result
    const second = (await modern.call('who')).json.result

    expect(JSON.parse(first.content[0].text)).toMatchObject({
      client: { name: 'raw', version: '2.0.0', title: 'Raw' },
      capabilities: { elicitation: {}, roots: { listChanged: true } },
    })
    expect(JSON.parse(second.content[0].text)).toMatchObject({ client: null, capabilities: {} })
  })

  it.each([{}, { name: 1 }, 'raw', null, []])(
    'is accepted with %j as client info, and the client then has no name',
    async (client) => {
      sendsHostileRequests()
      const modern = connectTo(await openApp({ tools: [who] }))

      const { result } = (await modern.call('who', {}, { meta: { [metaKeys.client]: client } })).json

      expect(JSON.parse(result.content[0].text).client).toBeNull()
    },
  )

  it.each(['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'])(
    'can request the log level %s',
    async (level) => {
      const client = connectTo(await openApp())

      expect((await client.request('tools/list', {}, { meta: { [metaKeys.logLevel]: level } })).status).toBe(200)
    },
  )

  it.each(['trace', 'INFO', '', 7, {}])('cannot request the log level %j', async (level) => {
    const client = connectTo(await openApp())

    const reply = await client.request('tools/list', {}, { meta: { [metaKeys.logLevel]: level } })

    expect(reply.json.error.code).toBe(-32602)
  })
})

describe('the session header', () => {
  it('is ignored in a modern request, and not sent back', async () => {
    const app = await openApp()

    const reply = await connectTo(app).request(
      'tools/list',
      {},
      { headers: { 'mcp-session-id': 'nobody', 'last-event-id': '7' } },
    )

    expect(reply.status).toBe(200)
    expect(reply.headers).not.toHaveProperty('mcp-session-id')
    expect(app.mcp.metrics().sessions.value).toBe(0)
  })
})

describe('results', () => {
  it('contain the _meta of the tool, beside the server information', async () => {
    const { result } = await import('@toolwright/core')
    const client = connectTo(
      await openApp({
        tools: [
          {
            name: 'meta',
            handler: () =>
              result({
                _meta: { 'com.example/cost': 3, [metaKeys.server]: { name: 'impostor', version: '9' } },
              }),
          },
        ],
      }),
    )

    const reply = await client.call('meta')

    expect(reply.json.result).toStrictEqual({
      resultType: 'complete',
      content: [],
      _meta: { 'com.example/cost': 3, ...serverMeta },
    })
  })

  it('of calls have no caching hints', async () => {
    const client = connectTo(await openApp({ tools: [named('a')], cache: { ttlMs: 60_000, cacheScope: 'public' } }))

    const { result } = (await client.call('a')).json

    expect(Object.keys(result)).toStrictEqual(['resultType', 'content', '_meta'])
  })

  it.each(['a', '', 'ü', '🚀', '\u0001', '"', 0, -1, 7, 2 ** 53 - 1, 1_795_300_000_000])(
    'echo the id %j',
    async (id) => {
      const client = connectTo(await openApp({ tools: [named('a')] }))
      const messages = [
        modernMessage('tools/list'),
        modernMessage('tools/call', toolCall('nobody')),
        modernMessage('nothing'),
      ]

      const replies = await Promise.all(messages.map((message) => client.send({ ...message, id })))

      expect(replies.map(({ json }) => json.id)).toStrictEqual([id, id, id])
    },
  )

  it('of concurrent requests with equal ids are not mixed up', async () => {
    const client = connectTo(
      await openApp({
        tools: [
          {
            name: 'later',
            inputSchema: { type: 'object' },
            handler: async ({ ms }: { ms: number }, _context: McpContext) => {
              await new Promise((resolve) => {
                setTimeout(resolve, ms)
              })
              return String(ms)
            },
          },
        ],
      }),
    )

    const replies = await Promise.all([30, 20, 10, 0].map((ms) => client.call('later', { ms })))

    expect(replies.map(({ json }) => json.result.content[0].text)).toStrictEqual(['30', '20', '10', '0'])
  })
})

describe('tools/list', () => {
  const names = Array.from({ length: 25 }, (_, index) => `tool_${String(index).padStart(2, '0')}`)

  it('returns pages in the order of names, all with the same hints, and no cursor on the last', async () => {
    const client = connectTo(
      await openApp({
        tools: names.toReversed().map(named),
        pageSize: 10,
        cache: { ttlMs: 9, cacheScope: 'public' },
      }),
    )
    // oxlint-disable-next-line typescript/no-explicit-any
    const pages: any[] = []
    let cursor: string | undefined
    do {
      const params = cursor === undefined ? {} : { cursor }
      // oxlint-disable-next-line no-await-in-loop
      pages.push((await client.request('tools/list', params)).json.result)
      cursor = pages.at(-1).nextCursor
    } while (cursor !== undefined)

    expect(pages.map(({ tools }) => tools.map(({ name }: { name: string }) => name))).toStrictEqual([
      names.slice(0, 10),
      names.slice(10, 20),
      names.slice(20),
    ])
    expect(pages.map(({ ttlMs, cacheScope }) => [ttlMs, cacheScope])).toStrictEqual([
      [9, 'public'],
      [9, 'public'],
      [9, 'public'],
    ])
    expect(pages.map((page) => 'nextCursor' in page)).toStrictEqual([true, true, false])
  })

  it('returns the same list for every request', async () => {
    const client = connectTo(await openApp({ tools: names.map(named) }))

    const replies = await Promise.all([1, 2, 3].map(() => client.request('tools/list')))

    expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
  })

  it('can be empty', async () => {
    const client = connectTo(await openApp())

    expect((await client.request('tools/list')).json.result).toStrictEqual({
      resultType: 'complete',
      tools: [],
      ttlMs: 0,
      cacheScope: 'private',
      _meta: serverMeta,
    })
  })

  it('neither skips nor repeats a tool when others are added and removed between two pages', async () => {
    const app = await openApp({ tools: names.slice(0, 6).map(named), pageSize: 3 })
    const client = connectTo(app)
    const { nextCursor } = (await client.request('tools/list')).json.result
    app.mcp.catalog.removeTool('tool_02')
    app.mcp.catalog.removeTool('tool_04')
    app.mcp.catalog.addTool(named('tool_00a'))

    const { tools } = (await client.request('tools/list', { cursor: nextCursor })).json.result

    expect(tools.map(({ name }: { name: string }) => name)).toStrictEqual(['tool_03', 'tool_05'])
  })

  it('rejects every cursor that it did not issue', async () => {
    const client = connectTo(await openApp({ tools: names.map(named), pageSize: 10 }))
    const { nextCursor } = (await client.request('tools/list')).json.result as { nextCursor: string }
    const forOtherList = Buffer.from(`${'0'.repeat(12)}tool_09`).toString('base64url')
    const forged: unknown[] = [
      '',
      'x',
      '0',
      '10',
      nextCursor.slice(1),
      `${nextCursor}=`,
      `${nextCursor}A`,
      `${nextCursor}\n`,
      nextCursor.toLowerCase(),
      Buffer.from(nextCursor, 'base64url').toString('base64'),
      forOtherList,
      'x'.repeat(100_000),
      '\ud800',
      '\0',
      '__proto__',
      'constructor',
      'undefined',
      0,
      1,
      -1,
      1.5,
      true,
      false,
      {},
      [],
      [nextCursor],
      { toString: 'x' },
    ]

    const replies = await Promise.all(forged.map((cursor) => client.request('tools/list', { cursor })))

    for (const { status, json, text } of replies) {
      expect([status, json.id, json.error?.code]).toStrictEqual([200, 1, -32602])
      expect(text.length).toBeLessThan(300)
    }
  })
})
