import { once } from 'node:events'
import { gateway } from '@toolwright/gateway'
import type { FastifyInstance } from 'fastify'
import { createHost } from 'toolwright'
import { WebSocket } from 'ws'
import { CalculatorTools, createCalculator } from '../../../docs/snippets/from-gateway/calculator.js'
import { connectRemote, toolsFor } from '../../../docs/snippets/from-gateway/remote-invoker.js'

let app: FastifyInstance
let url: string

beforeAll(async () => {
  app = await createHost(
    await gateway({ controllers: [CalculatorTools], limits: { maxBatch: 3 }, fastify: { logger: false } }),
  )
  url = await app.listen({ host: '127.0.0.1', port: 0 })
})

afterAll(() => app.close())

const add = (id: unknown, number1: number) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'add_numbers', arguments: { number1, number2: 1 } },
})
const multiply = (id: unknown) => ({
  jsonrpc: '2.0',
  id,
  method: 'multiply_numbers',
  params: { number1: 2, number2: 3 },
})
const notification = { jsonrpc: '2.0', method: 'notifications/initialized' }

async function post(path: string, messages: unknown, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(messages),
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? null : (JSON.parse(text) as unknown) }
}

const answers = [
  { id: 1, result: { structuredContent: { result: 5 } } },
  { id: 'two', result: { result: 6 } },
]

describe('a batch', () => {
  test('at /rpc gets an array of responses, without notifications', async () => {
    const { status, body } = await post('/rpc', [add(1, 4), notification, multiply('two')])
    expect(status).toBe(200)
    expect(body).toHaveLength(2)
    expect(body).toMatchObject(answers)
  })

  test('over WebSocket gets an array of responses', async () => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`)
    await once(socket, 'open')
    socket.send(JSON.stringify([add(1, 4), notification, multiply('two')]))
    const [data] = (await once(socket, 'message')) as [Buffer]
    socket.close()
    expect(JSON.parse(data.toString())).toMatchObject(answers)
  })

  test('of notifications gets no response', async () => {
    expect(await post('/rpc', [notification, notification])).toEqual({ status: 204, body: null })
  })

  test('is limited by maxBatch, and is not empty', async () => {
    expect(
      (
        await post(
          '/rpc',
          Array.from({ length: 4 }, (_, id) => add(id, 1)),
        )
      ).body,
    ).toMatchObject({ error: { code: -32600 } })
    expect((await post('/rpc', [])).body).toMatchObject({ error: { code: -32600 } })
  })

  test('is rejected at /mcp, because the specification has no batches', async () => {
    const { status, body } = await post('/mcp', [add(1, 4)], { 'mcp-protocol-version': '2025-11-25' })
    expect(status).toBe(400)
    expect(body).toMatchObject({ error: { code: -32600 } })
  })
})

describe('errors of tools/call', () => {
  test('suggest tools', async () => {
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'add_number' } }
    expect((await post('/rpc', call)).body).toMatchObject({
      error: {
        code: -32602,
        data: { requestedTool: 'add_number', suggestions: ['add_numbers'], hint: 'Did you mean: add_numbers?' },
      },
    })
  })

  test('describe arguments in revisions where they are errors', async () => {
    const call = { ...add(1, 1), params: { name: 'add_numbers', arguments: {} } }
    expect((await post('/mcp', call, { 'mcp-protocol-version': '2025-06-18' })).body).toMatchObject({
      error: {
        code: -32602,
        data: {
          tool: 'add_numbers',
          requiredFields: ['number1', 'number2'],
          example: '{ "number1": 42, "number2": 42 }',
        },
      },
    })
    expect((await post('/mcp', call, { 'mcp-protocol-version': '2025-11-25' })).body).toMatchObject({
      result: { isError: true },
    })
  })
})

test('a limit of calls counts a tool as the method, in a batch and as a notification', async () => {
  const limited = await createHost(
    await gateway({
      controllers: [CalculatorTools],
      rateLimit: { calls: 3, windowMs: 60_000 },
      fastify: { logger: false },
    }),
  )
  const inject = async (payload: object) =>
    limited.inject({ method: 'POST', url: '/rpc', headers: { host: 'localhost' }, payload })
  await inject([multiply(1), multiply(2)])
  const { id: _unused, ...silent } = multiply(3)
  await inject(silent)
  expect((await inject(multiply(4))).json()).toMatchObject({ error: { code: -32600 } })
  await limited.close()
})

test('tools of another process run like tools of this process', async () => {
  const calculator = await createCalculator()
  type Tools = Record<string, { readonly execute: (args: object, call: object) => Promise<object> }>
  const remote = (await toolsFor(connectRemote(`${url}/rpc`))) as Tools
  const local = (await toolsFor(calculator.mcp)) as Tools
  const args = { number1: 2, number2: 3 }
  const expected = { structuredContent: { result: 5 } }
  expect(await remote['add_numbers']?.execute(args, {})).toMatchObject(expected)
  expect(await local['add_numbers']?.execute(args, {})).toMatchObject(expected)
  await calculator.close()
})
