import { ClientError, connect } from '@toolwright/client'
import { serveFake } from '../support/fake-server.js'

test.each([Infinity, 2 ** 31, 1e12])('timeoutMs: %d does not time out at once', async (timeoutMs) => {
  await using server = await serveFake()
  await using client = await connect(server.url, { era: 'legacy', timeoutMs })
  expect(await client.call('echo', {}, { timeoutMs })).toBe('echoed')
})

test.each([0, -1, NaN])('timeoutMs: %d is rejected by name', async (timeoutMs) => {
  const message = `'timeoutMs' is ${timeoutMs}. Give a positive number, or Infinity for no limit.`
  await using server = await serveFake()
  await expect(connect(server.url, { era: 'legacy', timeoutMs })).rejects.toThrow(message)
  await using client = await connect(server.url, { era: 'legacy' })
  await client.call('echo')
  const rejected = client.call('echo', {}, { timeoutMs })
  await expect(rejected).rejects.toThrow(message)
  await expect(rejected).rejects.toThrow(ClientError)
})
