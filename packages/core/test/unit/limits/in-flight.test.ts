import { pino } from 'pino'
import { InFlight } from '../../../src/limits/in-flight.js'

it('the limit of requests in flight reports recovery when half of the slots are free, not after each request', () => {
  const lines: string[] = []
  const log = pino({}, { write: (line: string) => void lines.push((JSON.parse(line) as { msg: string }).msg) })
  const inFlight = new InFlight(4, log)
  for (let count = 0; count < 4; count++) inFlight.admit(1)
  expect(() => inFlight.admit(1)).toThrow('The server is busy')

  inFlight.leave(1)
  expect(lines).toEqual(['requests are rejected: too many are in flight'])
  inFlight.leave(1)
  const once = ['requests are rejected: too many are in flight', 'requests are accepted again']
  expect(lines).toEqual(once)

  inFlight.leave(1)
  expect(lines).toEqual(once)
  for (let count = 0; count < 3; count++) inFlight.admit(1)
  expect(() => inFlight.admit(1)).toThrow('The server is busy')
  inFlight.leave(4)
  expect(lines).toEqual([...once, ...once])
})
