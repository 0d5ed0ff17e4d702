// The wall clock jumps when a machine wakes up, or when its time is corrected.
import { type McpServer } from '@toolwright/core'
import { createServer } from '@toolwright/server'
import { pino } from 'pino'
import { createGate } from '../../../../../test/support/gate.js'
import { openRawClient, type RawClient, type RawMessage } from '../../support/raw-client.js'

const tasks = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
const hours = 3_600_000

/** The error of the wall clock, in milliseconds. */
let offsetMs = 0

let server: McpServer
let client: RawClient
let gate: ReturnType<typeof createGate>

beforeEach(async () => {
  offsetMs = 0
  const now = Date.now
  // Before the server is created: its parts may keep a reference to the function.
  jest.spyOn(Date, 'now').mockImplementation(() => now.call(Date) + offsetMs)
  server = await createServer({ name: 'test', version: '1', controllers: [], logger: pino({ level: 'silent' }) })
  gate = createGate()
  server.catalog.addTool({
    name: 'render',
    task: 'optional',
    handler: async () => {
      await gate.opened
      return 'rendered'
    },
  })
  client = openRawClient(server)
})

afterEach(async () => {
  jest.restoreAllMocks()
  gate.open()
  await client[Symbol.asyncDispose]()
  await server.close()
})

function jump(byMs: number): void {
  offsetMs = byMs
}

async function start(): Promise<string> {
  return (await client.modern('tools/call', { name: 'render', arguments: {} }, tasks)).result.taskId
}

async function get(taskId: string): Promise<RawMessage> {
  return client.modern('tasks/get', { taskId }, tasks)
}

/** Polls until the task has ended. */
async function wait(taskId: string): Promise<RawMessage> {
  let { result } = await get(taskId)
  while (result?.status === 'working') {
    // oxlint-disable-next-line no-await-in-loop
    await new Promise(setImmediate)
    // oxlint-disable-next-line no-await-in-loop
    result = (await get(taskId)).result
  }
  return result
}

// A task lives for an hour by default.
it.each([2 * hours, 48 * hours, -2 * hours])('a running task is kept when the clock jumps by %i ms', async (byMs) => {
  const taskId = await start()
  jump(byMs)
  expect((await get(taskId)).result).toMatchObject({ status: 'working' })
  // Later tasks do not displace it, either.
  const later = await start()
  expect((await get(taskId)).result).toMatchObject({ status: 'working' })
  gate.open()
  const done = { status: 'completed', result: { content: [{ text: 'rendered' }] } }
  expect(await wait(taskId)).toMatchObject(done)
  expect(await wait(later)).toMatchObject(done)
})

it('the result of a task is kept when the clock jumps', async () => {
  const taskId = await start()
  gate.open()
  await wait(taskId)
  jump(2 * hours)
  expect((await get(taskId)).result).toMatchObject({ status: 'completed' })
})

it('a task still expires on time', async () => {
  const now = performance.now.bind(performance)
  const taskId = await start()
  jest.spyOn(performance, 'now').mockImplementation(() => now() + 2 * hours)
  expect((await get(taskId)).error).toMatchObject({ message: 'Unknown task: it has expired, or never existed' })
})
