// Values of application code that cannot be sent in a header.
import { AuthenticationError, LimitError } from '@toolwright/core'
import { closeApps, connectTo, legacyMessage, openApp } from '../../../../test/support/client/index.js'

afterEach(closeApps)

const wait = (retryAfterMs: unknown) => ({
  name: 'wait',
  handler: () => {
    throw new LimitError('unavailable', 'Busy', retryAfterMs as number)
  },
})

const call = legacyMessage('tools/call', { name: 'wait' })

test.each([Number.NaN, Infinity, -Infinity, -5, 1e30, '5', null])(
  'LimitError with %p sends no Retry-After',
  async (given) => {
    const client = connectTo(await openApp({ tools: [wait(given)] }), { era: 'legacy' })
    const reply = await client.send(call)
    expect(reply.text).not.toMatch(/NaN|Infinity|-5|e\+|Try again/)
    expect(reply.headers['retry-after'] ?? '1').toBe('1')
    expect(reply.json.error.message).toBe('Busy')
  },
)

test.each([
  [0, '0'],
  [1500, '2'],
])('LimitError with %p sends Retry-After: %s', async (given, expected) => {
  const client = connectTo(await openApp({ tools: [wait(given)] }), { era: 'legacy' })
  const reply = await client.send(call)
  expect(reply.headers['retry-after']).toBe(expected)
  expect(reply.json.error.data).toEqual({ retryAfterMs: given })
})

test.each([Number.NaN, Infinity, -1, 1e30])(
  'a rate limiter that resolves to %p sends no Retry-After',
  async (waitMs) => {
    const client = connectTo(
      await openApp({
        tools: [{ name: 'wait', rateLimit: { calls: 1, windowMs: 1000 }, handler: () => 'done' }],
        rateLimiter: { take: () => Promise.resolve(waitMs) },
      }),
      { era: 'legacy' },
    )
    const reply = await client.send(call)
    expect(reply.status).toBe(429)
    expect(reply.text).not.toMatch(/NaN|Infinity|e\+/)
    expect(reply.headers).not.toHaveProperty('retry-after')
  },
)

test.each([['LimitError', () => new LimitError('unavailable', 'Busy', Number.NaN)]])(
  'an authenticator that throws %s with NaN sends no Retry-After',
  async (_what, error) => {
    const authenticate = (): never => {
      throw error()
    }
    const client = connectTo(await openApp({ authentication: { authenticate } }), { era: 'legacy' })
    const reply = await client.request('ping')
    expect([reply.status, reply.json.error.message]).toEqual([503, 'Busy'])
    expect(reply.headers).not.toHaveProperty('retry-after')
  },
)

test.each<[unknown, string]>([
  [{ name: 'Own\r\nX-Evil: 1' }, 'Bearer'],
  [{ name: 'Own', parameters: { realm: 'a\r\nb' } }, 'Own realm="a??b"'],
  [{ name: 'Own', parameters: { 'a\r\nb': 'c', d: 'e' } }, 'Own d="e"'],
  [{ name: 'Own', parameters: { count: 5 } }, 'Own count="5"'],
  [{ name: 'Own', parameters: { none: null, list: ['a'] } }, 'Own'],
  [{ name: 7 }, 'Bearer'],
  [{}, 'Bearer'],
  [null, 'Bearer'],
])('a scheme of %p is a challenge with status 401', async (scheme, expected) => {
  const authenticate = (): never => {
    throw new AuthenticationError(null, 'Unauthorized', { scheme: scheme as never })
  }
  const client = connectTo(await openApp({ authentication: { authenticate } }), { era: 'legacy' })
  const reply = await client.request('ping')
  expect([reply.status, reply.headers['www-authenticate']]).toEqual([401, expected])
  expect(reply.json.error.message).toBe('Unauthorized')
  expect(reply.headers).not.toHaveProperty('x-evil')
})
