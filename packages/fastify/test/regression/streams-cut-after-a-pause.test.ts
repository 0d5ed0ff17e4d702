// On a busy machine, a process was paused for longer than `3 * keepAliveMs`. It then cut the streams of clients that had read
// everything, so that their calls were lost.
import { setTimeout } from 'node:timers/promises'
import { closeApps, connectTo, openApp, type TestTool, toolCall } from '../../../../test/support/client/index.js'

afterEach(closeApps)

const keepAliveMs = 10

/** Blocks the event loop, as a pause of the process does. */
function pause(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

const pausing: TestTool = {
  name: 'pausing',
  handler: async () => {
    for (let count = 0; count < 20; count++) {
      await setTimeout(25)
      pause(4 * keepAliveMs)
    }
    return 'done'
  },
}

test.each(['modern', 'legacy'] as const)('a pause of the process cuts no stream, %s', async (era) => {
  const app = await openApp({ tools: [pausing], keepAliveMs, sessions: false })
  const client = connectTo(app, { era })
  const stream = await client.stream(client.message('tools/call', toolCall('pausing')))
  expect(await stream.message()).toMatchObject({ result: { content: [{ text: 'done' }] } })
  expect(app.mcp.metrics().cutStreams).toBe(0)
})
