import { Changes, McpContext, McpController, McpTool, type Principal } from '@toolwright/core'
import { type ServerOptions } from '@toolwright/server'
import { connect, lanes } from '@toolwright/testing'
import { pino } from 'pino'
import { openServer } from '../support/raw-client.js'

/** Stores the contexts of its calls. */
function contextKeeper() {
  const seen: McpContext[] = []
  class ContextTools {
    @McpTool({ description: 'Look' })
    look(context: McpContext): void {
      seen.push(context)
    }

    @McpTool({ description: 'Note' })
    note(context: McpContext): void {
      context.log.info({ depth: 3 }, 'noted')
    }
  }
  return { seen, ContextTools }
}

@McpController()
class ContextHolder {
  constructor(private readonly context: McpContext) {}

  @McpTool({ description: 'Compare' })
  compare(context: McpContext): string {
    return context === this.context ? 'the same' : 'another'
  }
}

function serving(controller: NonNullable<ServerOptions['controllers']>[number]): ServerOptions {
  return { name: 'context', version: '1.0.0', controllers: [controller] }
}

const ada: Principal = { subject: 'ada', roles: ['admin'], scopes: ['read'], claims: { team: 'analysis' } }

describe.each(lanes)('the context over $lane, $era', (lane) => {
  const isModern = lane.era === 'modern'
  const isHttp = lane.lane === 'http'
  const protocolVersion = isModern ? '2026-07-28' : '2025-11-25'
  const client = { capabilities: { roots: { listChanged: true } } }

  it('contains the data of its request', async () => {
    const { seen, ContextTools } = contextKeeper()
    await using connection = await connect(serving(ContextTools), { ...lane, client })
    await connection.client.callTool({ name: 'look', _meta: { 'example.com/trace': 'abc' } })
    const [context] = seen
    const ownMeta = { 'example.com/trace': 'abc' }
    expect(Object.fromEntries(Object.entries(context as McpContext))).toEqual({
      requestId: expect.any(Number),
      changes: expect.any(Changes),
      method: 'tools/call',
      protocolVersion,
      clientInfo: { name: 'test-client', version: '1.0.0' },
      clientCapabilities: client.capabilities,
      principal: null,
      headers: isHttp ? context?.headers : null,
      transport: lane.lane === 'in-memory' ? 'in-process' : lane.lane,
      meta: isModern
        ? {
            ...ownMeta,
            'io.modelcontextprotocol/protocolVersion': protocolVersion,
            'io.modelcontextprotocol/clientInfo': { name: 'test-client', version: '1.0.0' },
            'io.modelcontextprotocol/clientCapabilities': client.capabilities,
          }
        : ownMeta,
    })
    expect(context?.signal.aborted).toBe(false)
  })

  it('contains the headers of an HTTP request, and none on other lanes', async () => {
    const { seen, ContextTools } = contextKeeper()
    await using connection = await connect(serving(ContextTools), lane)
    await connection.client.callTool({ name: 'look' })
    const { headers } = seen[0] as McpContext
    const { 'content-type': type, 'mcp-protocol-version': version } = headers ?? {}
    expect({ type, version }).toEqual(isHttp ? { type: 'application/json', version: protocolVersion } : {})
    expect(headers === null).toBe(!isHttp)
  })

  it('is separate for each call, with the id of its request', async () => {
    const { seen, ContextTools } = contextKeeper()
    await using connection = await connect(serving(ContextTools), lane)
    await Promise.all([1, 2, 3].map(() => connection.client.callTool({ name: 'look' })))
    expect(new Set(seen.map(({ requestId }) => requestId)).size).toBe(3)
  })

  it('is the same in a method and in the controller that is created for the call', async () => {
    await using connection = await connect(serving(ContextHolder), lane)
    const { content } = await connection.client.callTool({ name: 'compare' })
    expect(content).toEqual([{ type: 'text', text: 'the same' }])
  })

  it('adds the data of the request to each log line of the handler', async () => {
    const lines: Record<string, unknown>[] = []
    const logger = pino({ base: null, timestamp: false }, { write: (line) => void lines.push(JSON.parse(line)) })
    const { ContextTools } = contextKeeper()
    await using connection = await connect({ ...serving(ContextTools), logger }, lane)
    await connection.client.callTool({ name: 'note' })
    const { reqId, ...line } = lines[0] ?? {}
    expect(typeof reqId).toBe(isHttp ? 'string' : 'undefined')
    expect([line, ...lines.slice(1)]).toEqual([
      {
        level: 30,
        requestId: expect.any(Number),
        method: 'tools/call',
        protocolVersion,
        client: 'test-client',
        depth: 3,
        msg: 'noted',
      },
    ])
  })
})

it.each(['modern', 'legacy'] as const)(
  'the context contains the principal that the transport authenticated (%s)',
  async (era) => {
    const { seen, ContextTools } = contextKeeper()
    await using connection = await connect(serving(ContextTools), { era, principal: ada })
    await connection.client.callTool({ name: 'look' })
    expect(seen[0]?.principal).toEqual(ada)
  },
)

it('the context truncates long client information', async () => {
  const { seen, ContextTools } = contextKeeper()
  await using connection = await connect(serving(ContextTools))
  const clientInfo = { name: 'n'.repeat(1000), title: 'T', version: '1' }
  await connection.client.callTool({ name: 'look', _meta: { 'io.modelcontextprotocol/clientInfo': clientInfo } })
  expect(seen[0]?.clientInfo).toEqual({ name: `${'n'.repeat(128)}…`, title: 'T', version: '1' })
})

describe('client capabilities from the handshake', () => {
  it('are visible to a handler if they have a meaning for servers', async () => {
    const { seen, ContextTools } = contextKeeper()
    await using opened = await openServer(serving(ContextTools))
    const known = { roots: { listChanged: true }, extensions: { 'com.example/maps': { zoom: 3 } } }
    await opened.client.initialize('2025-11-25', { ...known, experimental: { notes: { text: 'n'.repeat(5000) } } })
    await opened.client.request('tools/call', { name: 'look' })
    expect(seen[0]?.clientCapabilities).toStrictEqual(known)
  })

  it('are limited in size', async () => {
    await using opened = await openServer(serving(contextKeeper().ContextTools))
    const least = JSON.stringify({ extensions: { 'com.example/a': { text: '' } } }).length
    const declare = (length: number): Promise<{ error?: object }> =>
      opened.client.initialize('2025-11-25', { extensions: { 'com.example/a': { text: 'n'.repeat(length - least) } } })
    expect((await declare(2049)).error).toEqual({
      code: -32602,
      message: 'Invalid params: "capabilities" must have at most 2048 characters',
    })
    expect((await declare(2048)).error).toBeUndefined()
  })
})
