import { Client } from '@modelcontextprotocol/client'
import { createServer } from '@toolwright/server'
import { connect, lanes } from '@toolwright/testing'
import { openRawClient } from '../support/raw-client.js'

const options = {
  name: 'test',
  version: '1',
  controllers: [],
  onReady: ({ catalog }) => catalog.addTool({ name: 'version', handler: (_args, context) => context.protocolVersion }),
} satisfies Parameters<typeof createServer>[0]

describe.each(lanes.filter(({ lane }) => lane !== 'http'))('offered revisions, over $lane, $era', ({ lane, era }) => {
  test('are served, and others are rejected', async () => {
    const [own, other] = era === 'modern' ? ['2026-07-28', '2025-06-18'] : ['2025-06-18', '2026-07-28']
    await using connection = await connect({ ...options, revisions: [own] }, { lane, era })
    const { content } = await connection.client.callTool({ name: 'version', arguments: {} })
    expect(content).toEqual([{ type: 'text', text: own }])
    await expect(connect({ ...options, revisions: [other] }, { lane, era: era })).rejects.toThrow(/version/)
  })

  test('are negotiated by a client that tries the modern revision first', async () => {
    const client = { versionNegotiation: { mode: 'auto' } } as const
    const revisions = [era === 'modern' ? '2026-07-28' : '2025-11-25']
    await using connection = await connect({ ...options, revisions }, { lane, client })
    expect(connection.client).toBeInstanceOf(Client)
    const { content } = await connection.client.callTool({ name: 'version', arguments: {} })
    expect(content).toEqual([{ type: 'text', text: revisions[0] }])
  })
})

test('a message before the handshake has the newest offered legacy revision', async () => {
  await using server = await createServer({ ...options, revisions: ['2024-11-05', '2025-03-26'] }).then(closing)
  await using client = openRawClient(server.value)
  const { result } = await client.request('tools/call', { name: 'version' })
  expect(result.content[0].text).toBe('2025-03-26')
})

test('in-process calls are not affected by the offered revisions', async () => {
  await using server = await createServer({ ...options, revisions: ['2024-11-05'] }).then(closing)
  expect((await server.value.callTool('version')).content).toEqual([{ type: 'text', text: '2026-07-28' }])
})

/** Closes a server at the end of a test. */
function closing<Server extends { close(): Promise<void> }>(value: Server) {
  return { value, [Symbol.asyncDispose]: () => value.close() }
}
