// Many calls of one WebSocket that end at once while the client reads nothing. The results wait within a limit of the server, and
// calls beyond it get an error instead of a lost connection.
import { closeApps, legacyMessage, listen, openApp, toolCall } from '../../../../test/support/client/index.js'
import { createGate } from '../../../../test/support/gate.js'
import { until } from '../../../../test/support/until.js'
import { openSocket } from '../support/web-socket-client.js'

afterEach(closeApps)

const megabyte = 1_000_000
const calls = 60

interface Answered {
  readonly id: number
  readonly error?: { readonly code: number; readonly message: string }
}

it('results beyond the limit of all connections become errors, and the connection stays', async () => {
  const gate = createGate()
  let started = 0
  const large = {
    name: 'large',
    handler: async () => {
      started++
      await gate.opened
      return 'x'.repeat(megabyte)
    },
  }
  const app = await openApp({ webSocket: true, tools: [large], limits: { maxResultBytes: 1.1 * megabyte } })
  const { socket } = await openSocket(await listen(app))
  const answers: Answered[] = []
  socket.on('message', (data: Buffer) => answers.push(JSON.parse(data.toString()) as Answered))
  for (let id = 1; id <= calls; id++) socket.send(JSON.stringify(legacyMessage('tools/call', toolCall('large'), id)))
  await until(() => started === calls)

  socket.pause()
  gate.open()
  // Calls end before their results have reached the connection.
  await until(() => app.mcp.inFlight.count === 0 && app.mcp.metrics().cutStreams > 0)
  socket.resume()
  await until(() => answers.length === calls)

  expect(new Set(answers.map(({ id }) => id)).size).toBe(calls)
  const errors = answers.filter(({ error }) => error !== undefined)
  expect(errors.length).toBeGreaterThan(0)
  expect(errors.length).toBeLessThan(calls - 16)
  for (const { error } of errors) expect(error?.message).toContain('too many responses are unread')
  expect(socket.readyState).toBe(socket.OPEN)
  socket.close()
})
