// A generator that yields from memory awaits nothing, so the server has to let the event loop turn.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createServer } from '@toolwright/server'

async function* count() {
  for (let progress = 0; progress < 30; progress++) {
    for (const end = performance.now() + 1; performance.now() < end; );
    yield { progress }
  }
  return 'done'
}

test('50 generators that yield from memory share one slice of each turn of the event loop', async () => {
  const server = await createServer({ name: 'test', version: '1', controllers: [] })
  server.catalog.addTool({ name: 'count', inputSchema: { type: 'object' }, handler: () => count() })
  let turns = 0
  const controller = new AbortController()
  const counting = (async () => {
    for (; !controller.signal.aborted; turns++) await nextTurn()
  })()

  const results = await Promise.all(Array.from({ length: 50 }, () => server.callTool('count')))
  controller.abort()
  await counting

  expect(results.map(({ content }) => content)).toStrictEqual(results.map(() => [{ type: 'text', text: 'done' }]))
  // The generators run for 1.5 seconds in total. With one slice for each call, the loop turns about three times.
  expect(turns).toBeGreaterThan(100)
  await server.close()
})
