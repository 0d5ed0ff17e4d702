// Fastify listens on every address of `localhost` by default, with a separate server for each.
import dns from 'node:dns'
import { once } from 'node:events'
import { Server } from 'node:http'
import { type AddressInfo, connect, isIP, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import {
  type AppOptions,
  closeApps,
  legacyMessage,
  openApp,
  type TestTool,
  toolCall,
} from '../../../../test/support/client/index.js'
import { createGate } from '../../../../test/support/gate.js'
import { gaugesOf } from '../../../../test/support/gauges.js'
import { until } from '../../../../test/support/until.js'

/** Linux has all of 127.0.0.0/8, but not always IPv6. */
const addresses = ['127.0.0.1', process.platform === 'linux' ? '127.0.0.2' : '::1'] as const
const [, further] = addresses

let gate = createGate()

const waits: TestTool = {
  name: 'waits',
  handler: async () => {
    await gate.opened
    return 'waited'
  },
}

beforeEach(() => {
  gate = createGate()
  const lookup = (...args: readonly unknown[]): void => {
    const [name, { all }] = args as [string, dns.LookupOptions]
    const done = args.at(-1) as (error: null, ...answer: unknown[]) => void
    const found = (name === 'localhost' ? addresses : [name]).map((address) => ({ address, family: isIP(address) }))
    process.nextTick(() => (all === true ? done(null, found) : done(null, found[0]?.address, found[0]?.family)))
  }
  jest.spyOn(dns, 'lookup').mockImplementation(lookup)
})
afterEach(() => jest.restoreAllMocks())
afterEach(async () => {
  gate.open()
  await closeApps()
})

async function open(options: AppOptions = {}) {
  const app = await openApp({ tools: [waits], ...options })
  app.get('/beside', () => 'beside')
  await app.listen({ port: 0 })
  expect(app.addresses()).toHaveLength(2)
  const { port } = app.server.address() as AddressInfo
  const opened = (): number => gaugesOf(app.mcp, 'connections_open')['connections_open'] as number
  const reach = async (address: string): Promise<Socket> => {
    const before = opened()
    const socket = connect(port, address).on('error', () => undefined)
    await until(() => opened() > before)
    return socket
  }
  return { app, reach }
}

function callWaits(socket: Socket, more = ''): void {
  const body = JSON.stringify(legacyMessage('tools/call', toolCall('waits')))
  const head = 'POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json'
  socket.write(`${head}\r\ncontent-length: ${body.length}${more}\r\n\r\n${body}`)
}

it.each(addresses)('during shutdown, requests to %s get 503 with Retry-After', async (address) => {
  const { app, reach } = await open()
  const [caller, other] = [await reach(further), await reach(address)]
  callWaits(caller)
  await until(() => app.mcp.inFlight.count === 1)
  const closed = app.close()

  other.write('GET /beside HTTP/1.1\r\nhost: localhost\r\n\r\n')

  expect(await text(other)).toMatch(/^HTTP\/1\.1 503 [^]*\r\nretry-after: 1\r\n[^]*connection: close\r\n/i)
  gate.open()
  expect(await text(caller)).toContain('waited')
  await closed
})

it.each(addresses)('a connection to %s without a request ends with the application', async (address) => {
  const { app, reach } = await open()
  const received = text(await reach(address))

  await app.close()

  expect(await received).toBe('')
})

it.each(addresses)('a call to %s that exceeds the drain timeout is cut', async (address) => {
  let wasCut = false
  const { app, reach } = await open({ drainTimeoutMs: 50, onDrainTimeout: () => void (wasCut = true) })
  const caller = await reach(address)
  callWaits(caller)
  await until(() => app.mcp.inFlight.count === 1)

  const answer = text(caller).catch(() => 'cut')
  await app.close()

  expect([await answer, wasCut]).toEqual([expect.not.stringContaining('HTTP'), true])
})

it.each(addresses)('HTTP/2 clients of %s are served beside a WebSocket, if Node supports it', async (address) => {
  const { reach } = await open({ webSocket: true })
  const caller = await reach(address)
  gate.open()
  callWaits(caller, '\r\nconnection: close, upgrade\r\nupgrade: h2c')

  // Node keeps a rejected connection open for a while.
  const [head] = (await once(caller, 'data')) as [Buffer]
  caller.destroy()
  expect(String(head)).toMatch('shouldUpgradeCallback' in new Server() ? /^HTTP\/1.1 200 / : /^HTTP\/1.1 400 /)
})
