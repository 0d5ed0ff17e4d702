// Streams of one session begin and end more quickly than Redis responds.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { until } from '../../../test/support/until.js'
import { newPrefix, RedisServer } from './support/redis-server.js'

const server = RedisServer.forTests()
let slow: Server

/**
 * A proxy to Redis that passes replies on line by line: the reply to one command is handled before the next arrives.
 */
beforeAll(async () => {
  slow = createServer((near) => {
    const far = connect(server.proxy.port, '127.0.0.1')
    const lines: string[] = []
    const pass = (): void => {
      near.write(lines.shift() ?? '', 'latin1')
      if (lines.length > 0) setImmediate(pass)
    }
    near.on('data', (sent) => far.write(sent))
    far.on('data', (answer) => {
      if (lines.length === 0) setImmediate(pass)
      lines.push(...answer.toString('latin1').split(/(?<=\r\n)/))
    })
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      socket.on('error', () => undefined).on('close', () => other.destroy())
    }
  })
  slow.listen(0, '127.0.0.1')
  await once(slow, 'listening')
})
afterAll(() => slow.close())

it('a watcher of a stream gets events of other nodes while another stream ends', async () => {
  const prefix = newPrefix()
  const url = new URL(server.url)
  url.port = String((slow.address() as AddressInfo).port)
  const here = (await server.connect({ url: url.href, prefix })).stores.eventStore
  const there = (await server.connect({ prefix })).stores.eventStore
  const stream = { sessionId: 'one', streamId: 'second' }
  let looks = 0
  // Begun and ended at once: another watcher begins between the two replies of Redis.
  const stop = here.watch({ sessionId: 'one', streamId: 'first' }, () => {
    server.stopLater(here.watch(stream, () => looks++))
  })
  stop()
  await until(() => looks === 1)

  await there.append(stream, 'event', false)

  await until(() => looks > 1)
  expect(looks).toBe(2)
})
