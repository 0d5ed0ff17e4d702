import { InMemoryRateLimiter } from '../../../src/limits/rate-limiter.js'

const hour = { calls: 1, windowMs: 3_600_000 }
const short = { calls: 1, windowMs: 20 }

test('callers beyond the tracked number share one bucket, and are counted separately', async () => {
  const limiter = new InMemoryRateLimiter({ maxKeys: 2 })
  const waits: number[] = []
  // oxlint-disable-next-line no-await-in-loop
  for (const caller of ['ada', 'bob', 'cy', 'dan', 'ada']) waits.push(await limiter.take(caller, hour))

  expect(waits.map((wait) => wait > 0)).toEqual([false, false, false, true, true])
  expect(limiter.callers).toEqual({ value: 2, max: 2 })
  expect(limiter.sharing).toBe(2)
})

test('callers whose window has ended are no longer counted, also without new calls', async () => {
  const limiter = new InMemoryRateLimiter({ maxKeys: 2 })
  await limiter.take('ada', short)
  await new Promise((resolve) => {
    setTimeout(resolve, 40)
  })
  expect(limiter.callers).toEqual({ value: 0, max: 2 })
})
