// An async listener that rejects would end the process, as an unhandled rejection.

import { InProcessBus } from '@toolwright/core/store'
import { createServer } from '@toolwright/server'
import { pino } from 'pino'

const rejections: unknown[] = []
const note = (error: unknown): void => void rejections.push(error)

beforeAll(() => void process.on('unhandledRejection', note))
afterAll(() => void process.off('unhandledRejection', note))

/** Node reports a rejection after the microtasks of the turn. */
async function unhandled(): Promise<readonly unknown[]> {
  await new Promise((resolve) => setTimeout(resolve, 5))
  return rejections.splice(0)
}

const rejecting = (async () => {
  throw new Error('rejected')
}) as () => void

test('an async listener of the catalog fails the change that it listens to', async () => {
  await using server = Object.assign(
    await createServer({ name: 'test', version: '1', controllers: [], logger: pino({ level: 'silent' }) }),
    { [Symbol.asyncDispose]: () => server.close() },
  )
  server.catalog.tools.onChange(rejecting)
  expect(() => server.catalog.addTool({ name: 'late', handler: () => 'x' })).toThrow(
    'A listener of the catalog returned a promise. It has to return its result',
  )
  expect([[...server.catalog.tools.keys()], await unhandled()]).toEqual([[], []])
})

test('an async listener of a bus is reported to the publisher, and the other listeners get the message', async () => {
  const bus = new InProcessBus<string>()
  const received: string[] = []
  bus.subscribe(rejecting, rejecting)
  bus.subscribe((message) => void received.push(message))
  expect(() => bus.publish('hello')).toThrow('Some listeners of a bus failed')
  expect(() => bus.gap()).toThrow('Some listeners of a bus failed')
  expect([received, await unhandled()]).toEqual([['hello'], []])
})
