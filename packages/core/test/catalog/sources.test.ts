import { BootError, type FeatureSource, type SourceServer } from '@toolwright/core'
import { createServer, type ServerOptions } from '@toolwright/server'
import { connect, lanes } from '@toolwright/testing'
import { pino } from 'pino'
import { findDiagnostics } from '../boot/find-problems.js'

const base = { name: 'sources', version: '1.0.0', logger: pino({ level: 'silent' }) }

/** A source that records its calls, and adds one tool. */
function createSource(name: string, calls: string[], more: Partial<FeatureSource> = {}): FeatureSource {
  return {
    name,
    prepare({ catalog, report }) {
      calls.push(`prepare ${name}`)
      catalog.addTool({ name: `${name}_tool`, description: 'A tool', handler: () => name })
      report.added(`GET /${name}`, `tool '${name}_tool'`)
      report.leftOut(`DELETE /${name}`, 'deprecated')
    },
    ready: () => void calls.push(`ready ${name}`),
    close: () => void calls.push(`close ${name}`),
    ...more,
  }
}

describe.each(lanes)('sources: $lane, $era', (lane) => {
  it('add features before the first request', async () => {
    const calls: string[] = []
    const sources = [createSource('first', calls), createSource('second', calls)]
    const onReady = (): void => void calls.push('onReady')
    {
      await using connection = await connect({ ...base, sources, onReady }, lane)
      const { tools } = await connection.client.listTools()

      expect(tools.map(({ name }) => name)).toEqual(['first_tool', 'second_tool'])
      expect((await connection.client.callTool({ name: 'second_tool' })).content).toEqual([
        { type: 'text', text: 'second' },
      ])
    }
    expect(calls.slice(0, 5)).toEqual(['prepare first', 'prepare second', 'onReady', 'ready first', 'ready second'])
    expect(calls.slice(5).toSorted()).toEqual(['close first', 'close second'])
  })
})

describe('sources', () => {
  it('report all their problems together, with the problems of the options', async () => {
    const broken: FeatureSource = {
      name: 'broken',
      prepare({ catalog, report }) {
        report.problem("the document 'shop.yaml' has no paths. Add one.")
        catalog.replace({
          add: {
            tools: [
              { name: 'not valid', handler: () => 1 },
              { name: 'failed', description: 'x', handler: 3 as never },
            ],
          },
        })
      },
    }
    const down: FeatureSource = {
      name: 'down',
      prepare: () => Promise.reject(new Error('connect ECONNREFUSED 127.0.0.1:9')),
    }
    const options = { ...base, sources: [broken, down], pageSize: 0 }
    const messages = await findDiagnostics(options)

    expect(messages).toEqual([
      expect.stringContaining('bad-option: pageSize is 0'),
      "bad-source: Source 'broken': the document 'shop.yaml' has no paths. Add one.",
      expect.stringContaining("bad-name: tool 'not valid'"),
      expect.stringContaining("bad-option: tool 'failed': its handler is 3. Give a function."),
      "bad-option: Source 'down' cannot be used: connect ECONNREFUSED 127.0.0.1:9",
    ])
  })

  it.each([
    ['sources is a plain object. Give an array of sources.', {}],
    ["sources[0] is the string 'shop'. Give an object with a name and a function prepare.", ['shop']],
    ["sources[1]: another source has the name 'a'. Give each source a different name.", [named('a'), named('a')]],
    ['sources[0].name is undefined. Give a string that is not empty.', [{ prepare: () => undefined }]],
    ['sources[0].prepare is undefined. Give a function.', [{ name: 'a' }]],
    ['sources[0].close is true. Give a function.', [{ ...named('a'), close: true }]],
  ])('boot reports: %s', async (message, sources) => {
    const messages = await findDiagnostics({ ...base, controllers: [], sources: sources as never })
    expect(messages).toEqual([`bad-option: ${message}`])
  })

  it('are closed when boot fails, and when the server closes, once', async () => {
    const calls: string[] = []
    const failing: readonly Partial<ServerOptions>[] = [
      { pageSize: 0 },
      { onReady: () => Promise.reject(new Error('no table')) },
      {
        sources: [
          createSource('a', calls),
          createSource('b', calls, { ready: () => Promise.reject(new Error('late')) }),
        ],
      },
    ]
    for (const options of failing) {
      calls.length = 0
      // oxlint-disable-next-line no-await-in-loop
      await expect(createServer({ ...base, sources: [createSource('a', calls)], ...options })).rejects.toThrow(Error)
      expect(calls.filter((call) => call === 'close a')).toHaveLength(1)
    }
    calls.length = 0
    const server = await createServer({ ...base, sources: [createSource('a', calls)] })
    await Promise.all([server.close(), server.close()])
    expect(calls).toEqual(['prepare a', 'ready a', 'close a'])
  })

  it('are all closed although one fails to close, and the failure is logged', async () => {
    const calls: string[] = []
    const lines: string[] = []
    const logger = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) })
    const close = (): never => {
      throw new Error('the child has not ended')
    }
    const sources = [createSource('a', calls, { close }), createSource('b', calls)]
    const server = await createServer({ ...base, logger, sources })
    await server.close()

    expect(calls).toContain('close b')
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
      expect.objectContaining({ source: 'a', msg: 'closing a source failed' }),
    ])
  })

  it('are closed although an extension fails to close', async () => {
    const calls: string[] = []
    const close = (): never => {
      throw new Error('the socket is gone')
    }
    const extensions = [{ id: 'com.example/broken', close }]
    const server = await createServer({ ...base, extensions, sources: [createSource('a', calls)] })

    await expect(server.close()).rejects.toThrow('the socket is gone')
    expect(calls).toContain('close a')
  })

  it('are explained with what they added and left out', async () => {
    const server = await createServer({ ...base, sources: [createSource('shop', [])] })
    const { sources } = server.explain()
    expect(sources).toEqual([
      {
        name: 'shop',
        added: [{ origin: 'GET /shop', feature: "tool 'shop_tool'" }],
        leftOut: [{ origin: 'DELETE /shop', reason: 'deprecated' }],
        documents: [],
      },
    ])
    const text = String(server.explain())
    expect(text).toContain("Source 'shop', features: 1")
    expect(text).toMatch(/GET \/shop +tool 'shop_tool'/)
    expect(text).toContain("Source 'shop', left out: 1")
    expect(text).toMatch(/DELETE \/shop +deprecated/)
    await server.close()
  })

  it('can change their features and their rows at run time', async () => {
    let server: SourceServer | undefined
    const source: FeatureSource = { name: 'live', prepare: (given) => void (server = given) }
    await using connection = await connect({ ...base, sources: [source] })
    server?.catalog.replace({ add: { tools: [{ name: 'late', description: 'x', handler: () => 'late' }] } })
    server?.report.clear()
    server?.report.added('GET /late', "tool 'late'")

    expect((await connection.client.callTool({ name: 'late' })).content).toEqual([{ type: 'text', text: 'late' }])
    expect(connection.server.explain().sources[0]?.added).toHaveLength(1)
  })
})

function named(name: string): FeatureSource {
  return { name, prepare: () => undefined }
}

test('BootError is thrown for a source that throws a BootError, with its problems', async () => {
  const source: FeatureSource = {
    name: 'x',
    prepare: () => {
      throw new BootError([{ code: 'bad-uri', message: "'x' is not a URI. Correct it." }])
    },
  }
  expect(await findDiagnostics({ ...base, sources: [source] })).toEqual(["bad-uri: 'x' is not a URI. Correct it."])
})
