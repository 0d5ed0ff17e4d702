// Redis users with and without the permissions that the stores need.
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { closeApps, type TestTool } from '../../../test/support/client/index.js'
import { sessionRecord } from '../../../test/support/session-record.js'
import { until } from '../../../test/support/until.js'
import { askTask, beginTask, type NodeOptions, openNode, openSessions } from './support/nodes.js'
import { newPrefix, RedisServer } from './support/redis-server.js'

const page = readFileSync(join(__dirname, '../../../docs/reference/redis.md'), 'utf8')

const server = RedisServer.forTests(closeApps)

function urlOf(user: string, password = 'hush'): string {
  const url = new URL(server.url)
  Object.assign(url, { username: user, password })
  return url.href
}

/** The user of the documentation, with additional keys. */
async function addUser(user: string, prefix: string, more = ''): Promise<void> {
  const [line = ''] = /^ACL SETUSER .*$/m.exec(page) ?? []
  expect(line).toContain('clock:*')
  const rights = line
    .replaceAll('clock:', prefix)
    .replace(/SETUSER \S+/, `SETUSER ${user}`)
    .replace(/>\S+/, '>hush')
  await server.command(`${rights} ${more}`)
}

it('the documented permissions are sufficient, for one prefix only', async () => {
  const prefix = newPrefix()
  await addUser('enough', prefix)
  const { stores, proofStore, check } = await server.connect({ url: urlOf('enough'), prefix })

  const { sessionStore, eventStore, changeBus, rateLimiter, tasks } = stores
  const key = { sessionId: 'a', streamId: 'b' }
  const now = Date.now()
  const task = {
    taskId: 'a',
    owner: 'ada',
    status: 'working',
    createdAt: now,
    lastUpdatedAt: now,
    ttlMs: 60_000,
  } as const
  expect(await sessionStore.create(sessionRecord('a'), 60_000)).toBe(true)
  await sessionStore.update('a', (session) => ({ ...session, isInitialized: true }))
  await sessionStore.touch('a', 60_000)
  await eventStore.append(key, 'message', false)
  expect((await eventStore.read(key, 0, 10))?.events).toHaveLength(1)
  await eventStore.delete('a')
  await sessionStore.delete('a')
  expect(await tasks.store.create(task)).toBe(true)
  await tasks.store.update('a', (before) => ({ ...before, status: 'completed', result: '{}' }))
  await changeBus.publish({ kind: 'tools' })
  expect(await rateLimiter.take('ada', { calls: 1, windowMs: 1000 })).toBe(0)
  expect(await proofStore.use('a', 1000, 10)).toBe('first')
  await check()
  const elsewhere = server.connect({ url: urlOf('enough'), prefix: newPrefix() })
  await expect(elsewhere).rejects.toThrow(/cannot be used: NOPERM/)
})

it('the documented permissions are sufficient for nodes with sessions, streams and tasks', async () => {
  const prefix = newPrefix()
  await addUser('nodes', prefix)
  const [a, b] = [await openUser(prefix), await openUser(prefix)]
  const { atA, atB, close } = await openSessions([a, b])
  await atB.request('resources/subscribe', { uri: 'notes://one' })
  const stream = await atA.listen()

  b.app.mcp.changes.resourceUpdated('notes://one')

  expect((await stream.message()).params.uri).toBe('notes://one')
  stream.cut()
  const resumed = await atB.listen()
  a.app.mcp.changes.resourceUpdated('notes://one')
  expect((await resumed.message()).params.uri).toBe('notes://one')
  resumed.cut()
  const { taskId } = await beginTask(a)
  expect((await askTask(b, 'tasks/cancel', taskId)).status).toBe(200)
  await until(async () => (await askTask(a, 'tasks/get', taskId)).json.result.status === 'cancelled')
  expect((await atA.send({ jsonrpc: '2.0', id: 9, method: 'ping' })).status).toBe(200)
  close()

  function openUser(of: string) {
    const waits: TestTool = {
      name: 'waits',
      task: 'required',
      handler: (_args, { signal }) => once(signal, 'abort'),
    }
    const options: NodeOptions = {
      tools: [waits],
      resources: [{ uri: 'notes://one', name: 'one', handler: () => 'text' }],
      rateLimit: { calls: 100, windowMs: 60_000 },
    }
    return openNode(server, of, options, urlOf('nodes'))
  }
})

it('every command of the scripts is tried at boot, and is documented as a permission', () => {
  const source = join(__dirname, '../src')
  const text = readdirSync(source)
    .map((file) => readFileSync(join(source, file), 'utf8'))
    .join('')
  const used = new Set(Array.from(text.matchAll(/redis\.p?call\('(\w+)'/g), ([, name]) => name as string))
  const [rights = ''] = /^ACL SETUSER .*$/m.exec(page) ?? []
  const tried = readFileSync(join(source, 'check-rights.ts'), 'utf8')

  expect(used.size).toBeGreaterThan(20)
  expect([...used].filter((name) => !tried.includes(`{ '${name}'`))).toStrictEqual([])
  expect([...used].filter((name) => !rights.split(' ').includes(`+${name.toLowerCase()}`))).toStrictEqual([])
})

it.each([
  ['a command of the scripts', '-hset -zadd', /its user may not run HSET, ZADD with keys and channels that begin with/],
  ['a command', '-del', /NOPERM.*del/],
  ['to write', '-@write', /NOPERM.*del/],
  ['scripts', '-eval -evalsha', /NOPERM.*evalsha/],
  ['channels', 'resetchannels', /its user may not run PUBLISH/],
  ['to subscribe', '-subscribe', /NOPERM.*subscribe/],
])('a user without permission for %s is reported at boot', async (what, taken, reason) => {
  const prefix = newPrefix()
  const user = `without-${what.replaceAll(' ', '-')}`
  await addUser(user, prefix, taken)

  const error: unknown = await server.connect({ url: urlOf(user), prefix }).catch((thrown: unknown) => thrown)

  expect((error as Error).message).toMatch(reason)
  expect(inspect(error)).not.toContain('hush')
})

it.each([
  ['a wrong password', 'enough', 'wrong hush'],
  ['an unknown user', 'nobody', 'hush'],
])('%s is reported, without repeating it', async (_what, user, password) => {
  await addUser('enough', newPrefix())

  const error: unknown = await server.connect({ url: urlOf(user, password) }).catch((thrown: unknown) => thrown)

  expect((error as Error).message).toMatch(/cannot be used: WRONGPASS/)
  expect(inspect(error)).not.toContain('hush')
})
