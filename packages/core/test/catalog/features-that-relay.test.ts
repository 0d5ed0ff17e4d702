import { createServer, type McpContext, type McpServer, result } from '@toolwright/core'
import { resultKindKey } from '@toolwright/core/wire'
import { connect } from '@toolwright/testing'
import { pino } from 'pino'

const base = { name: 'relay', version: '1.0.0', logger: pino({ level: 'silent' }), controllers: [] }

describe('features that relay requests to another server', () => {
  let server: McpServer

  beforeEach(async () => {
    server = await createServer(base)
  })

  afterEach(() => server.close())

  test('get the URI of a resource as the client sent it', async () => {
    const seen: string[] = []
    const handler = (_: unknown, __: McpContext, uri: string): string => {
      seen.push(uri)
      return uri
    }
    server.catalog.addResource({ uri: 'notes://{+path}', name: 'note', handler })
    server.catalog.addResource({ uri: 'notes:all', name: 'all', handler })
    await using connection = await connect(server)
    await connection.client.readResource({ uri: 'notes://a/%62' })
    await connection.client.readResource({ uri: 'notes:all' })
    expect(seen).toEqual(['notes://a/%62', 'notes:all'])
  })

  test('see the minimum level of log messages for the client', async () => {
    server.catalog.addTool({ name: 'level', handler: (_, { logLevel }) => String(logLevel) })
    await using modern = await connect(server, { era: 'modern' })
    await using legacy = await connect(server, { era: 'legacy' })
    const call = { name: 'level', _meta: { 'io.modelcontextprotocol/logLevel': 'error' } }
    expect(await modern.client.callTool(call)).toMatchObject({ content: [{ text: 'error' }] })
    expect(await modern.client.callTool({ name: 'level' })).toMatchObject({ content: [{ text: 'null' }] })
    expect(await legacy.client.callTool({ name: 'level' })).toMatchObject({ content: [{ text: 'info' }] })
  })

  test('pass on the kind of a result', async () => {
    const handler = () => result({ content: [], _meta: { [resultKindKey]: 'none' } })
    server.catalog.addTool({ name: 'nothing', handler })
    await using connection = await connect(server)
    const { _meta } = await connection.client.callTool({ name: 'nothing', _meta: { [resultKindKey]: true } })
    expect(_meta).toMatchObject({ [resultKindKey]: 'none' })
  })
})
