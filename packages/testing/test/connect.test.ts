import { EventEmitter, once } from 'node:events'
import { Client } from '@modelcontextprotocol/client'
import { McpContext, McpController, type McpServer, McpTool } from '@toolwright/core'
import { createServer } from '@toolwright/server'
import { connect, InMemoryClientTransport, type Lane, lanes } from '@toolwright/testing'

/** Created for each call, which fails on a closed server. */
@McpController()
class Tools {
  constructor(private readonly context: McpContext) {}

  @McpTool()
  whoami(): string {
    return this.context.principal?.subject ?? 'nobody'
  }
}

const options = { name: 'test', version: '1.0.0', controllers: [Tools] }

/** A controller whose call ends only when it is cancelled. */
function endlessTools(events: EventEmitter) {
  class EndlessTools {
    @McpTool()
    async wait(context: McpContext): Promise<void> {
      events.emit('started')
      await once(context.signal, 'abort')
      events.emit('aborted')
    }
  }
  return EndlessTools
}

describe.each(lanes)('connect over $lane, $era', (lane) => {
  it('connects an official client of the requested era', async () => {
    await using connection = await connect(options, lane)
    const { client } = connection
    expect(client.getProtocolEra()).toBe(lane.era)
    expect(client.getServerVersion()).toEqual({ name: 'test', version: '1.0.0' })
    expect((await client.callTool({ name: 'whoami' })).content).toEqual([{ type: 'text', text: 'nobody' }])
  })

  it('cancels calls in flight when it closes, and rejects them for the client', async () => {
    const events = new EventEmitter()
    const started = once(events, 'started')
    const aborted = once(events, 'aborted')
    const connection = await connect({ ...options, controllers: [endlessTools(events)] }, lane)
    const call = connection.client.callTool({ name: 'wait' })
    const outcome = call.then(
      () => 'answered',
      () => 'rejected',
    )
    await started
    await connection.close()
    expect(await outcome).toBe('rejected')
    await aborted
  })

  it('leaves a given server open', async () => {
    const server = await createServer(options)
    await (await connect(server, lane)).close()
    await using connection = await connect(server, lane)
    expect(connection.server).toBe(server)
    const called = await connection.client.callTool({ name: 'whoami' })
    expect(called.content).toEqual([{ type: 'text', text: 'nobody' }])
    await server.close()
  })

  it('can be closed repeatedly', async () => {
    await using connection = await connect(options, lane)
    await connection.close()
    await expect(connection.client.callTool({ name: 'whoami' })).rejects.toThrow('Not connected')
  })

  it('closes everything when the client cannot connect', async () => {
    const unknown = { ...lane, client: { versionNegotiation: { mode: { pin: '2999-12-31' } } } } as const
    await expect(connect(options, unknown)).rejects.toThrow('Unsupported protocol version')
  })
})

it('lanes lists every lane in either era', () => {
  expect(lanes).toEqual([
    { lane: 'in-memory', era: 'modern' },
    { lane: 'in-memory', era: 'legacy' },
    { lane: 'stdio', era: 'modern' },
    { lane: 'stdio', era: 'legacy' },
    { lane: 'http', era: 'modern' },
    { lane: 'http', era: 'legacy' },
  ])
})

it('connect connects in memory and in the modern era by default', async () => {
  await using connection = await connect(options)
  expect(connection.client.getProtocolEra()).toBe('modern')
  expect(connection.client.transport).toBeInstanceOf(InMemoryClientTransport)
})

it.each<Lane>([...lanes, { lane: 'websocket', era: 'modern' }])(
  'connect passes a principal to the server over $lane, $era',
  async (lane) => {
    const seen: unknown[] = []
    await using connection = await connect(options, { ...lane, principal: { subject: 'ada', roles: ['Admin'] } })
    connection.server.catalog.addTool({
      name: 'look',
      handler: (_args, { principal }) => {
        seen.push(principal)
        return ''
      },
    })
    await connection.client.callTool({ name: 'look' })
    expect(seen).toStrictEqual([{ subject: 'ada', roles: ['Admin'], scopes: [], claims: {} }])
  },
)

it('connect rejects an invalid principal', async () => {
  await expect(connect(options, { principal: { subject: '' } })).rejects.toThrow('the subject of the caller is')
})

it('connect rejects a misspelt principal, because the client would be anonymous', async () => {
  const wrong = { principle: { subject: 'ada' }, lane: 'htttp', era: 'new' }

  await expect(connect(options, wrong as object)).rejects.toThrow(
    'The client cannot connect: 3 problems found.\n' +
      '  1. principle is not an option. Did you mean principal? [bad-option]\n' +
      "  2. lane is the string 'htttp'. Give one of 'in-memory', 'stdio', 'http', 'websocket'. [bad-option]\n" +
      "  3. era is the string 'new'. Give one of 'modern', 'legacy'. [bad-option]",
  )
})

it('connect closes the server that it created when the client cannot connect', async () => {
  let close: jest.SpyInstance | undefined
  const onReady = (server: McpServer): void => {
    close = jest.spyOn(server, 'close')
  }
  const client = {
    get capabilities(): never {
      throw new Error('no client')
    },
  }

  await expect(connect({ ...options, onReady }, { client })).rejects.toThrow('no client')
  expect(close).toHaveBeenCalledTimes(1)
})

it('connect passes options on to the client', async () => {
  const client = { supportedProtocolVersions: ['2024-11-05'] }
  await using connection = await connect(options, { era: 'legacy', client })
  expect(connection.client.getNegotiatedProtocolVersion()).toBe('2024-11-05')
})

it('connect creates a transport for any official client, for one use', async () => {
  const server = await createServer(options)
  const transport = new InMemoryClientTransport(server)
  const client = new Client({ name: 'own', version: '1.0.0' })
  await client.connect(transport)
  await expect(transport.start()).rejects.toThrow('The transport has been started before: create a new one.')
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['whoami'])
  await client.close()
  await expect(transport.send({ jsonrpc: '2.0', method: 'notifications/late' })).rejects.toThrow(
    'The transport has not been started, or has been closed.',
  )
  await server.close()
})
