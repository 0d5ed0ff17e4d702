import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { RedisServer } from '../support/redis-server.js'

const server = RedisServer.forTests()
const program = join(__dirname, '..', 'fixtures', 'closed-node.mjs')

test('a closed node leaves no timers, sockets and listeners of its stores', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [program, server.url], {
    timeout: 60_000,
    env: { ...process.env, NODE_ENV: 'production' },
  })
  expect(JSON.parse(stdout)).toEqual([])
})
