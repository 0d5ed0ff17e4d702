import { McpTool } from '@toolwright/core'
import { connect } from '@toolwright/testing'
import { frames } from './support/frames/frames.js'

const modernMeta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}
const listTools = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: modernMeta } })
const response = (result: object) => JSON.stringify({ jsonrpc: '2.0', id: 1, result })

describe('the validation of frames', () => {
  it.each([
    ['2025-11-25', 'a result with a missing member', '{"tools":[{"name":"a"}]}', 'ListToolsResult'],
    ['2024-11-05', 'a result of another method', '{}', 'ListToolsResult'],
  ])('finds in %s %s', (version, _what, result, definition) => {
    const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
    frames.exchanged(version, request, response(JSON.parse(result) as object))
    expect(frames.takeFaults()).toEqual([
      expect.stringContaining(`tools/list of ${version} does not match ${definition}: data`),
    ])
  })

  it('finds a modern result without the members of all results', () => {
    frames.exchanged('2026-07-28', listTools, response({ tools: [] }))
    expect(frames.takeFaults()).toEqual([
      expect.stringContaining('does not match JSONRPCResultResponse'),
      expect.stringContaining('does not match ListToolsResultResponse'),
    ])
  })

  it('finds an invalid notification, error and request of a client', () => {
    frames.sent('2025-06-18', '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}')
    frames.exchanged(
      '2025-06-18',
      '{"id":1,"method":"x"}',
      '{"jsonrpc":"2.0","id":1,"error":{"code":1.5,"message":""}}',
    )
    frames.exchanged(
      '2025-06-18',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}',
      response({ content: [] }),
    )
    expect(frames.takeFaults()).toEqual([
      expect.stringContaining('does not match ProgressNotification'),
      expect.stringContaining('does not match JSONRPCError'),
      expect.stringContaining('does not match CallToolRequest'),
    ])
  })

  it('covers the messages between a client and a server', async () => {
    class Tools {
      @McpTool()
      ping(): string {
        return 'pong'
      }
    }
    const before = frames.judged
    await using connection = await connect({ name: 'test', version: '1', controllers: [Tools] })
    await connection.client.callTool({ name: 'ping' })
    expect(frames.judged).toBeGreaterThan(before + 4)
  })
})
