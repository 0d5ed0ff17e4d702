import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect } from '@toolwright/testing'
import { container } from 'toolwright'
import { Clock } from '../clock.js'
import { DateTimeTools } from './date-time-tools.js'

/** The night before clocks change in Lisbon. */
const now = '2030-03-30T23:30:00Z'

async function call(
  name: string,
  args: Record<string, unknown>,
): Promise<unknown> {
  const services = container.createChildContainer()
  services.registerInstance(Clock, { now: () => new Date(now) })
  const options = {
    name: 'test',
    version: '1.0.0',
    controllers: [DateTimeTools],
    container: services,
  }
  await using connection = await connect(options)
  const { structuredContent, content, isError } =
    await connection.client.callTool({ name, arguments: args })
  const [first] = content as { text: string }[]
  return isError === true
    ? { error: first?.text }
    : (structuredContent ?? first?.text)
}

test('returns the current time in a time zone, by default UTC', async () => {
  assert.deepEqual(await call('get_time', {}), {
    dateTime: '2030-03-30T23:30:00+00:00',
    timeZone: 'UTC',
    weekday: 'Saturday',
  })
  assert.deepEqual(await call('get_time', { timeZone: 'Asia/Tokyo' }), {
    dateTime: '2030-03-31T08:30:00+09:00',
    timeZone: 'Asia/Tokyo',
    weekday: 'Sunday',
  })
})

test('suggests time zones that contain the given name', async () => {
  assert.deepEqual(await call('get_time', { timeZone: 'lisbon' }), {
    error: "Unknown time zone 'lisbon'. Did you mean Europe/Lisbon?",
  })
  assert.deepEqual(await call('get_time', { timeZone: 'Atlantis' }), {
    error:
      "Unknown time zone 'Atlantis'. Use an IANA name, such as Europe/Lisbon.",
  })
})

test('keeps the local time when it adds days, and counts the hours', async () => {
  const at = { dateTime: now, timeZone: 'Europe/Lisbon' }
  const lisbon = { timeZone: 'Europe/Lisbon', weekday: 'Sunday' }
  assert.deepEqual(await call('add_time', { ...at, days: 1 }), {
    dateTime: '2030-03-31T23:30:00+01:00',
    ...lisbon,
  })
  assert.deepEqual(await call('add_time', { ...at, hours: 23 }), {
    dateTime: '2030-03-31T23:30:00+01:00',
    ...lisbon,
  })
})

test('rejects amounts without a result', async () => {
  const nothing = {
    error: 'There is nothing to add. Give an amount, such as 3 days.',
  }
  const impossible = {
    error:
      'Give amounts that are all positive or all negative, and that stay within the years 1 to 9999.',
  }
  assert.deepEqual(await call('add_time', { dateTime: now }), nothing)
  assert.deepEqual(
    await call('add_time', { dateTime: now, days: 1, hours: -1 }),
    impossible,
  )
  assert.deepEqual(
    await call('add_time', { dateTime: now, years: 1_000_000 }),
    impossible,
  )
  assert.deepEqual(await call('add_time', { dateTime: now, years: 9000 }), {
    error: 'The year 11030 is not within 1 to 9999.',
  })
})

test('returns the difference of two dates in every unit, and in seconds', async () => {
  const zero = {
    years: 0,
    months: 0,
    days: 0,
    hours: 0,
    minutes: 0,
    seconds: 0,
  }
  const between = (from: string, to: string) =>
    call('get_difference', { from, to, timeZone: 'Europe/Lisbon' })
  assert.deepEqual(
    await between('2030-01-31T12:00:00Z', '2031-03-02T12:00:01.5Z'),
    {
      ...zero,
      years: 1,
      months: 1,
      days: 2,
      seconds: 1.5,
      totalSeconds: 34_128_001.5,
    },
  )
  assert.deepEqual(await between('2030-03-31T23:30:00+01:00', now), {
    ...zero,
    days: -1,
    totalSeconds: -82_800,
  })
})

test('formats a date in the language and time zone of its reader', async () => {
  const at = { dateTime: now, timeZone: 'Europe/Berlin' }
  assert.match(
    String(await call('format_time', { ...at, locale: 'de', style: 'full' })),
    /^Sonntag, 31\. März 2030.* 0?0:30/,
  )
  assert.match(
    String(await call('format_time', { ...at, style: 'short' })),
    /^3\/31\/30, 12:30\sAM$/,
  )
  assert.deepEqual(await call('format_time', { ...at, locale: 'a language' }), {
    error:
      "Unknown locale 'a language'. Use a language tag, such as en or pt-PT.",
  })
})
