// Streams on connections whose credentials have expired, or that the server has closed.
import type { Authenticator } from '@toolwright/core'
import { Authorize, McpController } from '@toolwright/core'
import { StreamTool } from '@toolwright/streams'
import { until } from '../../../../test/support/until.js'
import { closeApps, openApp, openStreams } from '../support/app.js'
import { closeSockets, guid, openRaw, start, startWithWindow } from '../support/raw-socket.js'
import { StreamTools, shared } from '../support/stream-tools.js'

const other = '99999999-9999-4999-8999-999999999999'

afterEach(async () => {
  closeSockets()
  await closeApps()
})

test('after the credentials have expired, running streams continue, and no stream starts', async () => {
  const authentication: Authenticator = {
    authenticate: () => ({ subject: 'ada', roles: [], scopes: [], claims: {}, expiresAt: Date.now() / 1000 + 2 }),
  }
  const { url } = await openApp({ authentication })
  const socket = await openRaw(url)
  socket.send(startWithWindow(guid, 'outlive'))
  await socket.until('window')
  // An endless stream can end now.
  await until(() => shared.aborted.includes('closing'))

  socket.send(startWithWindow(other, 'hash'))
  const rejected = await socket.next()
  shared.gate.open()

  expect(rejected).toMatchObject({
    id: other,
    error: { message: expect.stringContaining('the credentials of this connection have expired') },
  })
  expect(await socket.next()).toMatchObject({ type: 'done', id: guid, summary: 'finished' })
  expect(await socket.closed).toStrictEqual([1008, 'the credentials have expired'])
})

test('a WebSocket whose credentials have expired before it opens is closed', async () => {
  const authentication: Authenticator = {
    authenticate: () => ({ subject: 'ada', roles: [], scopes: [], claims: {}, expiresAt: 1 }),
  }
  const { url } = await openApp({ authentication })
  const socket = await openRaw(url)

  expect(await socket.closed).toStrictEqual([1008, 'the credentials have expired'])
})

test('a client that ignores the close frame starts nothing, and is disconnected soon', async () => {
  const opened = await openApp()
  const socket = await openRaw(opened.url)
  // Answers no close frame.
  socket.socket.close = () => undefined
  let isClosed = false
  void socket.closed.then(() => (isClosed = true))
  for (let count = 0; count < 100; count++) socket.send(Buffer.alloc(10))
  socket.send(startWithWindow(guid, 'produce', { arguments: { bytes: 10 } }))

  await until(() => isClosed)

  expect([shared.written, openStreams(opened)]).toStrictEqual([0, 0])
})

@McpController()
class HiddenTools {
  @Authorize({ roles: ['admin'] })
  @StreamTool({ stream: 'text' })
  async secret(): Promise<void> {}
}

@McpController({ enabled: ({ transport, headers }) => transport !== 'websocket' || headers === null })
class NeverShownTools {
  @StreamTool({ stream: 'text' })
  async hush(): Promise<void> {}
}

test('a text tool that `enabled` hides gets the same answer as an unknown tool', async () => {
  const { url } = await openApp({ controllers: [StreamTools, NeverShownTools] })
  const answers: object[] = []
  for (const tool of ['hush', 'none']) {
    const socket = await openRaw(url)
    socket.send(start('first', 'add', { binary: false, window: 65_536 }))
    await socket.until('window')
    socket.send(start('second', tool, { window: 65_536 }))
    answers.push((await socket.next()).error)
  }

  expect(JSON.stringify(answers[0]).replaceAll('hush', 'none')).toBe(JSON.stringify(answers[1]))
})

test('a hidden text tool gets the same answer as an unknown tool', async () => {
  const authentication: Authenticator = {
    authenticate: () => ({ subject: 'ada', roles: [], scopes: [], claims: {} }),
  }
  const { url } = await openApp({
    authentication,
    authorization: { hideForbidden: true },
    controllers: [StreamTools, HiddenTools],
  })
  const answers: object[] = []
  for (const tool of ['secret', 'nosuch']) {
    const socket = await openRaw(url)
    socket.send(start('first', 'add', { binary: false, window: 65_536 }))
    await socket.until('window')
    socket.send(start('second', tool, { window: 65_536 }))
    answers.push((await socket.next()).error)
  }

  expect(answers[0]).toStrictEqual(answers[1])
})
