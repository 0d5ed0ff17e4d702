import { connect } from '@toolwright/client'
import { serveFake } from '../support/fake-server.js'

test('calls that a lost session rejects late use the session that an earlier call has opened', async () => {
  let sessions = 0
  let rejected = 0
  let open = (): void => undefined
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  await using server = await serveFake(async ({ method }, response, headers) => {
    if (method === 'initialize') response.setHeader('mcp-session-id', `session-${++sessions}`)
    if (method !== 'tools/call') return undefined
    if (headers['mcp-session-id'] === 'session-2') open()
    if (headers['mcp-session-id'] !== 'session-1') return undefined
    // The first call is rejected at once, the others when it has been repeated in the new session.
    if (++rejected > 1) await opened
    response.writeHead(404).end()
    return null
  })
  await using client = await connect(server.url, { era: 'legacy' })
  const results = await Promise.all(Array.from({ length: 5 }, () => client.request('tools/call', { name: 'echo' })))
  expect(results).toHaveLength(5)
  expect(sessions).toBe(2)
})
