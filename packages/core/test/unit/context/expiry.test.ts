import type { Principal } from '@toolwright/core'
import { whenExpired } from '@toolwright/core/transport'

const start = Date.UTC(2026, 0, 1)
const minuteMs = 60_000

beforeEach(() => jest.useFakeTimers({ now: start }))
afterEach(() => jest.useRealTimers())

function endingIn(seconds: number): Principal {
  return { subject: 'ada', roles: [], scopes: [], claims: {}, expiresAt: start / 1000 + seconds }
}

function expire(principal: Principal | null) {
  const expired: number[] = []
  const stop = whenExpired(principal, () => expired.push((Date.now() - start) / 1000))
  return { expired, stop }
}

it.each([1, 59.5, 60, 61, 3600, 60 * 24 * 3600])(
  'the expiry timer calls back once, after %d seconds, with one timer',
  (seconds) => {
    const { expired } = expire(endingIn(seconds))
    expect(jest.getTimerCount()).toBe(1)
    jest.advanceTimersByTime((seconds + 3600) * 1000)
    expect(expired).toEqual([seconds])
    expect(jest.getTimerCount()).toBe(0)
  },
)

it.each([
  ['nobody', null],
  ['credentials without expiry', { subject: 'ada', roles: [], scopes: [], claims: {} }],
  ['credentials with infinite expiry', { ...endingIn(1), expiresAt: Infinity }],
])('no timer is started for %s', (_who, principal) => {
  const { expired } = expire(principal)
  expect(jest.getTimerCount()).toBe(0)
  expect(expired).toEqual([])
})

it.each([
  ['the past', -1],
  ['now', 0],
  ['nonsense', Number.NaN],
])('the expiry timer calls back at once for an expiry that is %s', (_what, seconds) => {
  const { expired } = expire(endingIn(seconds))
  expect(expired).toEqual([0])
  expect(jest.getTimerCount()).toBe(0)
})

it('the expiry timer does not call back after it was stopped', () => {
  const { expired, stop } = expire(endingIn(90))
  jest.advanceTimersByTime(minuteMs)
  stop()
  expect(jest.getTimerCount()).toBe(0)
  jest.advanceTimersByTime(minuteMs)
  expect(expired).toEqual([])
})

it('the expiry timer detects within a minute that the machine slept past the expiry', () => {
  const { expired } = expire(endingIn(3600))
  jest.setSystemTime(start + 2 * 3600 * 1000)
  jest.advanceTimersByTime(minuteMs)
  expect(expired).toEqual([2 * 3600 + 60])
})
