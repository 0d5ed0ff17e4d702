import { type Catalog, listed } from '@toolwright/core'
import { createServer } from '@toolwright/server'
import { connect, lanes } from '@toolwright/testing'
import { pino } from 'pino'
import { until } from '../../../../test/support/until.js'

const base = { name: 'replacing', version: '1.0.0', logger: pino({ level: 'silent' }), controllers: [] }

const greet = { name: 'greet', description: 'Greets', handler: () => 'hello' }

function namesIn({ registries }: Catalog): readonly string[] {
  return registries.flatMap(({ registry }) => registry.entries().map(([key]) => key))
}

describe.each(lanes)('catalog.replace: $lane, $era', (lane) => {
  it('removes and adds features of all kinds as one change', async () => {
    await using connection = await connect(base, lane)
    const { client, server } = connection
    server.catalog.addTool(greet)
    server.catalog.addResource({ uri: 'old://page', name: 'old', handler: () => 'old' })
    server.catalog.replace({
      remove: { tools: ['greet', 'missing'], resources: ['old://page'] },
      add: {
        // The tool refers to the page, and the completion to the prompt.
        tools: [
          {
            name: 'greet',
            description: 'Greets again',
            ui: { resourceUri: 'ui://page' },
            handler: () => 'hello again',
          },
        ],
        prompts: [{ name: 'ask', handler: () => 'Ask' }],
        resources: [{ uri: 'ui://page', name: 'page', handler: () => '<p>' }],
      },
    })
    expect(namesIn(server.catalog)).toEqual(['greet', 'ask', 'ui://page'])
    expect((await client.callTool({ name: 'greet' })).content).toEqual([{ type: 'text', text: 'hello again' }])
  })
})

describe('catalog.replace', () => {
  it('changes nothing if one feature is invalid, and reports all problems', async () => {
    const server = await createServer(base)
    const { catalog } = server
    catalog.addTool(greet)
    catalog.addPrompt({ name: 'ask', handler: () => 'Ask' })
    catalog.addResource({ uri: 'notes://{id}', name: 'notes', handler: () => 'Note' })
    catalog.addCompletion({ resource: 'notes://{id}', argument: 'id', handler: () => ['1'] })
    const before = namesIn(catalog)
    const replace = (): void =>
      catalog.replace({
        remove: { tools: ['greet'], prompts: ['ask'], resources: ['notes://{id}'] },
        add: {
          tools: [
            { name: 'good', description: 'x', handler: () => 1 },
            { name: 'not good', description: 'x', handler: () => 1 },
            { name: 'good', description: 'x', handler: () => 1 },
          ],
          completions: [{ prompt: 'ask', argument: 'topic', handler: () => [] }],
        },
      })

    expect(replace).toThrow(/^The features cannot be replaced: 3 problems found\./)
    expect(replace).toThrow(/tool 'not good'[^]*Tool 'good' is already served\.[^]*it completes prompt 'ask'/)
    expect(namesIn(catalog)).toEqual(before)
    expect(await server.callTool('greet')).toMatchObject({ content: [{ text: 'hello' }] })
    await server.close()
  })

  it('notifies a client once for many changes', async () => {
    let notified = 0
    await using connection = await connect(base, {
      client: { listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => void notified++ } } },
    })
    const { server } = connection
    const tools = Array.from({ length: 50 }, (_, index) => ({ ...greet, name: `tool_${index}` }))
    server.catalog.replace({ add: { tools } })
    await until(() => notified > 0)
    expect(notified).toBe(1)
  })

  it('replaces 500 tools with listed schemas in a fraction of a second', async () => {
    const server = await createServer(base)
    const tools = Array.from({ length: 500 }, (_, index) => ({
      name: `tool_${index}`,
      description: `Tool ${index}`,
      inputSchema: listed({ type: 'object', properties: { value: { type: 'string' } } }),
      handler: () => 1,
    }))
    server.catalog.replace({ add: { tools } })
    const remove = { tools: tools.map(({ name }) => name) }
    const times = Array.from({ length: 5 }, () => {
      const start = process.cpuUsage()
      server.catalog.replace({ remove, add: { tools } })
      const { user, system } = process.cpuUsage(start)
      return (user + system) / 1000
    })
    expect(Math.min(...times)).toBeLessThan(200)
    await server.close()
  })
})
