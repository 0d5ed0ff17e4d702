import { type LoggingLevel, McpContext, McpTool, type Static, Type } from '@toolwright/core'
import { connect, lanes } from '@toolwright/testing'

const levels: LoggingLevel[] = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']
const TalkInput = Type.Object({ words: Type.Array(Type.String()) })

class Talkers {
  @McpTool()
  everyLevel(context: McpContext): void {
    for (const level of levels) context.sendLogMessage(level, { at: level }, 'talkers')
  }

  @McpTool({ input: TalkInput })
  talk({ words }: Static<typeof TalkInput>, context: McpContext): void {
    for (const word of words) context.sendLogMessage('warning', word)
  }

  @McpTool()
  nothing(context: McpContext): void {
    context.sendLogMessage('warning', undefined)
  }
}

const options = { name: 'test', version: '1', controllers: [Talkers] }

async function collect(lane: (typeof lanes)[number], level: LoggingLevel | undefined, tool: string, args = {}) {
  await using connection = await connect(options, lane)
  const { client } = connection
  const received: unknown[] = []
  client.setNotificationHandler('notifications/message', ({ params }) => void received.push(params))
  if (level !== undefined && lane.era === 'legacy') await client.setLoggingLevel(level)
  const meta = level !== undefined && lane.era === 'modern' ? { 'io.modelcontextprotocol/logLevel': level } : {}
  await client.callTool({ name: tool, arguments: args, _meta: meta })
  return received
}

describe.each(lanes)('log messages: $lane, $era', (lane) => {
  // Over HTTP, a legacy log level belongs to the session, which the official client keeps.
  it.each(['debug', 'warning', 'emergency'] as const)(
    'are sent to the client from level %s on, when it requests that level',
    async (level) => {
      const expected = levels.slice(levels.indexOf(level)).map((at) => ({ level: at, logger: 'talkers', data: { at } }))
      expect(await collect(lane, level, 'every_level')).toEqual(expected)
    },
  )

  it('can be any data, without a logger', async () => {
    const received = await collect(lane, 'debug', 'talk', { words: ['one', 'two'] })
    expect(received).toEqual([
      { level: 'warning', data: 'one' },
      { level: 'warning', data: 'two' },
    ])
  })

  it('have data even if the handler passes none', async () => {
    expect(await collect(lane, 'debug', 'nothing')).toEqual([{ level: 'warning', data: null }])
  })

  it('are sent by default from level info on to legacy clients, and never to modern clients', async () => {
    const received = await collect(lane, undefined, 'every_level')
    expect(received).toHaveLength(lane.era === 'legacy' ? 7 : 0)
  })
})

it('logging/setLevel rejects an unknown level', async () => {
  await using legacy = await connect(options, { era: 'legacy' })
  await expect(legacy.client.setLoggingLevel('loud' as LoggingLevel)).rejects.toThrow('level')
})

it('log messages do not fail the call if their data is not JSON', async () => {
  await using connection = await connect(options)
  const { client, server } = connection
  server.catalog.addTool({
    name: 'logs',
    handler: (_, context) => {
      context.sendLogMessage('error', 1n)
      return 'fine'
    },
  })
  const meta = { 'io.modelcontextprotocol/logLevel': 'debug' }
  expect((await client.callTool({ name: 'logs', _meta: meta })).content).toEqual([{ type: 'text', text: 'fine' }])
})
