// The wall clock jumps when a machine wakes up, or when its time is corrected.
import {
  closeApps,
  connectTo,
  legacyMessage,
  listen,
  messagesOf,
  openApp,
  toolCall,
} from '../../../../test/support/client/index.js'
import { until } from '../../../../test/support/until.js'

afterEach(async () => {
  jest.restoreAllMocks()
  await closeApps()
})

/** The error of the wall clock, in milliseconds. */
let offsetMs = 0

beforeEach(() => {
  offsetMs = 0
  const now = Date.now
  // Before the server is created: its parts may keep a reference to the function.
  jest.spyOn(Date, 'now').mockImplementation(() => now.call(Date) + offsetMs)
})

function jump(byMs: number): void {
  offsetMs = byMs
}

it.each([48 * 3_600_000, -48 * 3_600_000])('a session is kept when the clock jumps by %i ms', async (byMs) => {
  const client = connectTo(await openApp(), { era: 'legacy' })
  const { headers } = await client.initialize('2025-11-25')
  const session = { 'mcp-session-id': String(headers['mcp-session-id']) }
  expect((await client.send(legacyMessage('ping'), session)).status).toBe(200)
  jump(byMs)
  expect((await client.send(legacyMessage('ping'), session)).status).toBe(200)
})

it('events of a call are kept for reconnecting clients when the clock jumps', async () => {
  const opened = { release: (): void => undefined }
  const app = await openApp({
    retryMs: 10,
    tools: [
      {
        name: 'count',
        handler: async (_args, context) => {
          await new Promise<void>((resolve) => {
            opened.release = resolve
            context.closeStream()
          })
          return 'counted'
        },
      },
    ],
  })
  const url = `http://127.0.0.1:${await listen(app)}/mcp`
  const { headers } = await connectTo(app, { era: 'legacy' }).initialize('2025-11-25')
  const session = {
    'mcp-session-id': String(headers['mcp-session-id']),
    'mcp-protocol-version': '2025-11-25',
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
  }
  const body = JSON.stringify(legacyMessage('tools/call', toolCall('count')))
  const first = await (await fetch(url, { method: 'POST', headers: session, body })).text()
  const lastId = /^id: (.*)$/m.exec(first)?.[1] ?? ''
  expect(lastId).not.toBe('')
  opened.release()
  await until(() => app.mcp.metrics().inFlight.value === 0)

  jump(48 * 3_600_000)
  const resumed = await fetch(url, { headers: { ...session, accept: 'text/event-stream', 'last-event-id': lastId } })
  expect(messagesOf(await resumed.text())).toMatchObject([{ result: { content: [{ text: 'counted' }] } }])
})
