import { once } from 'node:events'
import type { Socket } from 'node:net'
import {
  closeApps,
  connectTo,
  listen,
  modernMessage,
  openApp,
  type TestTool,
  toolCall,
} from '../../../../test/support/client/index.js'
import { createGate } from '../../../../test/support/gate.js'
import { gaugesOf } from '../../../../test/support/gauges.js'
import { until } from '../../../../test/support/until.js'
import { openSocket, type RawClient } from '../support/raw-client.js'
import { sessionOf } from '../support/sessions.js'

const events = { accept: 'text/event-stream' }

const wait: TestTool = { name: 'wait', handler: () => new Promise(() => undefined) }

afterEach(closeApps)

/** A client whose first request never gets a response. Other requests of the connection wait behind it. */
async function openBusySocket(port: number): Promise<RawClient> {
  const socket = await openSocket(port)
  socket.send(modernMessage('tools/call', toolCall('wait')))
  return socket
}

describe('a pipelined request behind another one ends with its connection, for', () => {
  it('a subscription', async () => {
    const app = await openApp({ tools: [wait] })
    const socket = await openBusySocket(await listen(app))
    socket.send(modernMessage('subscriptions/listen', { notifications: { toolsListChanged: true } }), events)
    await until(() => app.mcp.metrics().subscriptions.value === 1)

    socket.destroy()

    await expect(until(() => app.mcp.metrics().subscriptions.value === 0)).resolves.toBeUndefined()
  })

  it('the stream of a session', async () => {
    const app = await openApp({ tools: [wait] })
    const port = await listen(app)
    const sessionId = String(
      (await connectTo(app, { era: 'legacy' }).initialize('2025-11-25')).headers['mcp-session-id'],
    )
    const socket = await openBusySocket(port)
    socket.get('/mcp', { ...events, 'mcp-session-id': sessionId })
    await until(() => sessionOf(app, sessionId)?.isInUse === true)

    socket.destroy()

    await expect(until(() => sessionOf(app, sessionId)?.isInUse === false)).resolves.toBeUndefined()
  })

  it('an HTTP+SSE stream', async () => {
    const app = await openApp({ tools: [wait], legacySse: true })
    const open = (): number | undefined => gaugesOf(app.mcp, 'sse_streams')['sse_streams_open']
    const socket = await openBusySocket(await listen(app))
    socket.get('/sse', events)
    await until(() => open() === 1)

    socket.destroy()

    await expect(until(() => open() === 0)).resolves.toBeUndefined()
  })

  it('many subscriptions, with a single listener on their connection', async () => {
    const app = await openApp({ tools: [wait] })
    const connected = once(app.server, 'connection')
    const socket = await openBusySocket(await listen(app))
    const [connection] = (await connected) as [Socket]
    const open = (): number => app.mcp.metrics().subscriptions.value
    const subscribe = async (count: number): Promise<number> => {
      socket.send(modernMessage('subscriptions/listen', { notifications: { toolsListChanged: true } }), events)
      await until(() => open() === count)
      return connection.listenerCount('close')
    }
    const listeners = await subscribe(1)

    expect(await subscribe(2)).toBe(listeners)
    socket.destroy()

    await expect(until(() => open() === 0)).resolves.toBeUndefined()
  })

  it('a call, which is cancelled', async () => {
    const cancelled = createGate()
    const watched: TestTool = {
      name: 'watched',
      handler: (_input, { signal }) =>
        new Promise(() => {
          signal.addEventListener('abort', () => cancelled.open())
        }),
    }
    const app = await openApp({ tools: [wait, watched] })
    const socket = await openBusySocket(await listen(app))
    socket.send(modernMessage('tools/call', toolCall('watched')))
    await until(() => app.mcp.metrics().inFlight.value === 2)

    socket.destroy()

    await expect(cancelled.opened).resolves.toBeUndefined()
  })
})
