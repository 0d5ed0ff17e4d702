// A legacy server restarts, and no longer knows the session of the client.
import { connect } from '@toolwright/client'
import { createGate } from '../../../../test/support/gate.js'
import { until } from '../../../../test/support/until.js'
import { serveFake } from '../support/fake-server.js'
import { serveShop } from '../support/lanes.js'
import type { ShopTools } from '../support/shop-tools.js'

const reconnect = { attempts: 20, delayMs: 20, maxDelayMs: 100 }
const portOf = (url: string): number => Number(new URL(url).port)

/** A server with sessions, which forgets its sessions. */
function createSessions() {
  const gate = createGate()
  let session = 0
  let isKnown = true
  const server = serveFake(({ method, params }, response, headers) => {
    if (method === 'initialize') {
      isKnown = true
      response.setHeader('mcp-session-id', `s${++session}`)
      return undefined
    }
    if (!isKnown || headers['mcp-session-id'] !== `s${session}`) {
      response.writeHead(404).end()
      return null
    }
    const { wait } = (params?.['arguments'] ?? {}) as { wait?: boolean }
    return wait === true ? gate.opened : undefined
  })
  const forget = (): void => {
    isKnown = false
  }
  return { server, gate, forget, sessions: () => session }
}

test('all calls at once are repeated in one new session, and a running call continues', async () => {
  const { server: serving, gate, forget, sessions } = createSessions()
  await using server = await serving
  await using client = await connect(server.url, { era: 'legacy', reconnect })
  await client.call('echo')
  const running = client.call('echo', { wait: true })
  await until(() => server.methods.filter((method) => method === 'tools/call').length === 2)
  forget()
  const calls = await Promise.all(Array.from({ length: 20 }, () => client.call('echo')))
  expect(new Set(calls)).toStrictEqual(new Set(['echoed']))
  expect(sessions()).toBe(2)
  gate.open()
  expect(await running).toBe('echoed')
})

test.each([
  ['', true],
  [' whose stream was not open yet', false],
])('a subscription%s continues in a new session without other requests', async (_kind, isOpen) => {
  const first = await serveShop(0, { sessions: true })
  await using client = await connect(first.http, { era: 'legacy', reconnect })
  await using changes = await client.changes()
  if (isOpen) {
    first.server.catalog.addTool({ name: 'refund', handler: () => 'refunded' })
    await changes.next()
  }
  await first[Symbol.asyncDispose]()
  await using second = await serveShop(portOf(first.http), { sessions: true })
  // The gap counts as a change of each list.
  expect((await changes.next()).value).toBe('tools')
  expect((await changes.next()).value).toBe('prompts')
  expect((await changes.next()).value).toBe('resources')
  const next = changes.next()
  second.server.catalog.addTool({ name: 'refund', handler: () => 'refunded' })
  expect((await next).value).toBe('tools')
  expect(await client.tools<ShopTools>().countArticles()).toBe(2)
})
