import { once } from 'node:events'
import { createServer } from 'node:net'
import { inspect } from 'node:util'
import { connectRedis, type RedisOptions } from '@toolwright/redis'

it('every mistake in the options is reported in one error, without the password', async () => {
  const options = {
    url: 'http://user:secret@127.0.0.1',
    prefix: '',
    timeoutMs: 0,
    limits: { maxSession: 1, maxTasks: 0 },
    tls: true,
  }

  const error: unknown = await connectRedis(options as unknown as RedisOptions).catch((thrown: unknown) => thrown)

  expect((error as Error).message.split('\n').map((line) => line.trim())).toEqual(
    expect.arrayContaining([
      expect.stringContaining(
        "connectRedis: url is not a redis:, rediss:, valkey: or valkeys: URL. Give one such as 'redis://127.0.0.1:6379'.",
      ),
      expect.stringContaining("connectRedis: prefix is the string ''. Give a string, such as 'weather:'."),
      expect.stringContaining('connectRedis: timeoutMs is 0. Give a whole number from 1 to'),
      expect.stringContaining('connectRedis: limits.maxSession is not a limit. Did you mean maxSessions?'),
      expect.stringContaining('connectRedis: limits.maxTasks is 0. Give a whole number of at least 1.'),
      expect.stringContaining('connectRedis: tls is true. Give an object.'),
    ]),
  )
  expect(inspect(error)).not.toContain('secret')
})

it('a password with an invalid percent-escape is reported, without the password', async () => {
  const error: unknown = await connectRedis({ url: 'redis://:100%hush@127.0.0.1:1' }).catch((thrown: unknown) => thrown)

  expect((error as Error).message).toContain(
    'connectRedis: url has a % in its user or password that is not an escape. Write it as %25.',
  )
  expect(inspect(error)).not.toContain('hush')
})

it('a path that is not a database number is reported', async () => {
  const connecting = connectRedis({ url: 'redis:///run/redis.sock' })

  await expect(connecting).rejects.toThrow(
    'connectRedis: url has a path that is not a database number. Give a number, or leave the path out.',
  )
})

it('an unreachable Redis is reported with its address and the reason', async () => {
  const connecting = connectRedis({ url: 'redis://user:secret@127.0.0.1:1/' })

  const error: unknown = await connecting.catch((thrown: unknown) => thrown)

  // Node prints this for an uncaught error: without the stack of this package and without the password.
  expect(inspect(error)).toBe(
    '[BootError: The server cannot start: 1 problem found.\n' +
      '  1. Redis at 127.0.0.1:1 cannot be used: connect ECONNREFUSED 127.0.0.1:1. ' +
      'Start it, or correct the url. [bad-option]]',
  )
})

it('a password that an old server repeats is removed from the error', async () => {
  const old = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () =>
      socket.write("-ERR unknown command 'HELLO', with args beginning with: 'AUTH' 'hush hush'\r\n"),
    )
  }).listen(0, '127.0.0.1')
  await once(old, 'listening')
  const { port } = old.address() as { port: number }

  const connecting = connectRedis({ url: `redis://:hush%20hush@127.0.0.1:${port}` })

  const error: unknown = await connecting.catch((thrown: unknown) => thrown)
  expect((error as Error).message).toContain(`Redis at 127.0.0.1:${port} cannot be used: ERR unknown command`)
  expect(inspect(error)).not.toContain('hush')
  old.close()
})
