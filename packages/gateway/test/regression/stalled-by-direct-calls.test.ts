// A long result of a tool that was called by its name was parsed and encoded in one step, which delayed all other clients by
// half a second. Notifications that run tools all began in the same turn of the event loop: 5.9 kB delayed others by six seconds.
import { once } from 'node:events'
import { gateway } from '@toolwright/gateway'
import type { FastifyInstance } from 'fastify'
import { createHost, type McpServer, Type } from 'toolwright'
import { WebSocket } from 'ws'
import { until } from '../../../../test/support/until.js'

const item = { name: 'a "quoted" name\nwith two lines', count: 12345678901234, tags: ['x', 'é', '😀'] }
const items = Array.from({ length: 6000 }, () => item)
const json = JSON.stringify(items)
/** Of 7 MB. */
const huge = JSON.stringify(Array.from({ length: 80_000 }, () => item))
const pretty = JSON.stringify(items, null, 2)
const plain = 'no "JSON", over\ntwo lines\\ '.repeat(30_000)

const hosts: FastifyInstance[] = []
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.close()))
})

async function open(logged: object[] = []): Promise<{ host: FastifyInstance & { mcp: McpServer }; port: number }> {
  const write = (line: string): void => void logged.push(JSON.parse(line) as object)
  const options = await gateway({
    name: 'stalls',
    version: '1.0.0',
    controllers: [],
    authorization: { default: 'anonymous' },
    fastify: { logger: { stream: { write } } },
  })
  const host = await createHost(options)
  hosts.push(host)
  const { catalog } = host.mcp
  const give = (name: string, handler: () => unknown): void => catalog.addTool({ name, handler })
  give('json', () => json)
  give('huge', () => huge)
  give('pretty', () => pretty)
  give('plain', () => plain)
  give('typed', () => items)
  give('blocks', () => [
    { type: 'text', text: plain },
    { type: 'text', text: json },
  ])
  catalog.addTool({
    name: 'with_output',
    output: Type.Object({ items: Type.Array(Type.Object({}, { additionalProperties: true })) }),
    handler: () => ({ items }),
  })
  await host.listen({ port: 0, host: '127.0.0.1' })
  return { host, port: (host.server.address() as { port: number }).port }
}

async function post(port: number, path: string, method: string, params: object = {}): Promise<string> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 'a"b', method, params })
  const headers = { 'content-type': 'application/json' }
  return (await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body })).text()
}

// oxlint-disable-next-line typescript/no-explicit-any
async function call(port: number, method: string, params?: object): Promise<any> {
  return JSON.parse(await post(port, '/rpc', method, params))
}

test('long results of direct calls have the same values as short results', async () => {
  const { port } = await open()
  const answers = await Promise.all(['json', 'pretty', 'plain'].map((name) => call(port, name)))
  expect(answers).toEqual([
    { jsonrpc: '2.0', id: 'a"b', result: items },
    { jsonrpc: '2.0', id: 'a"b', result: items },
    { jsonrpc: '2.0', id: 'a"b', result: plain },
  ])
  expect((await call(port, 'blocks')).result.content).toHaveLength(2)
  expect((await call(port, 'typed')).result).toEqual(items)
  expect((await call(port, 'with_output')).result.structuredContent).toEqual({ items })
  const [response] = (await post(port, '/sse', 'pretty')).split('\n').filter((line) => line.startsWith('data: {"json'))
  expect(JSON.parse(String(response).slice('data: '.length)).result).toEqual(items)
})

test('a long result of a direct call delays other clients hardly more than the same result of tools/call', async () => {
  const { port } = await open()
  const longest = async (send: () => Promise<string>): Promise<number> => {
    let [longestMs, isOver] = [0, false]
    let last = performance.now()
    const look = (): void => {
      const now = performance.now()
      longestMs = Math.max(longestMs, now - last)
      last = now
      if (!isOver) setImmediate(look)
    }
    look()
    await send()
    isOver = true
    return longestMs
  }
  const factors: number[] = []
  for (let round = 0; round < 4; round++) {
    // oxlint-disable no-await-in-loop
    const usual = await longest(() => post(port, '/rpc', 'tools/call', { name: 'huge' }))
    const direct = await longest(() => post(port, '/rpc', 'huge'))
    // oxlint-enable no-await-in-loop
    factors.push(direct / usual)
  }
  expect(Math.min(...factors)).toBeLessThan(3)
})

test('notifications that run tools begin one after the other, and few log lines report dropped ones', async () => {
  const logged: object[] = []
  const { host, port } = await open(logged)
  let [sinceTurn, most, begun] = [0, 0, 0]
  let turn = setImmediate(function look() {
    most = Math.max(most, sinceTurn)
    sinceTurn = 0
    turn = setImmediate(look)
  })
  const waiting: (() => void)[] = []
  host.mcp.catalog.addTool({
    name: 'waits',
    handler: async () => {
      sinceTurn++
      begun++
      await new Promise<void>((resolve) => {
        waiting.push(resolve)
      })
    },
  })
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, 'mcp')
  await once(socket, 'open')
  for (let count = 0; count < 300; count++) socket.send('{"jsonrpc":"2.0","method":"waits"}')
  const answered = once(socket, 'message')
  socket.send('{"jsonrpc":"2.0","id":1,"method":"ping"}')
  await answered
  clearImmediate(turn)
  await until(() => begun === 100)

  expect(most).toBeLessThanOrEqual(3)
  const lines = logged.filter((line) => JSON.stringify(line).includes('notifications were dropped'))
  expect(lines.length).toBeGreaterThan(0)
  expect(lines.length).toBeLessThan(20)
  for (const end of waiting) end()
  socket.terminate()
})
