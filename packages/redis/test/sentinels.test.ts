// A primary that sentinels announce. Real sentinels run in test/soak/redis-sentinels.mjs.
import type { Redis } from '@toolwright/redis'
import { CuttingProxy } from '../../../test/support/cutting-proxy.js'
import { until } from '../../../test/support/until.js'
import { FakeSentinel } from './support/fake-sentinel.js'
import { newPrefix, RedisServer } from './support/redis-server.js'

const server = RedisServer.forTests()
const open: { close(): unknown }[] = []

afterEach(async () => {
  // The connections to Redis end before the test does.
  await Promise.all(open.splice(0).map((each) => each.close()))
})

async function openSentinel(primary = server.proxy.port): Promise<FakeSentinel> {
  const sentinel = await FakeSentinel.open(primary)
  open.push(sentinel)
  return sentinel
}

async function openProxy(): Promise<CuttingProxy> {
  const proxy = await CuttingProxy.open(server.proxy.port)
  open.push(proxy)
  return proxy
}

function connect(name: string, timeoutMs: number, ...sentinels: readonly FakeSentinel[]): Promise<Redis> {
  const sentinelRootNodes = sentinels.map(({ node }) => node)
  return server.connect({ url: undefined, prefix: newPrefix(), timeoutMs, sentinel: { name, sentinelRootNodes } })
}

const isDone = (): boolean => true
const isFailed = (): boolean => false

describe('a primary announced by sentinels', () => {
  it('is replaced when the sentinels announce another one, before it fails', async () => {
    const [old, next] = [await openProxy(), await openProxy()]
    const sentinel = await openSentinel(old.port)
    const { check } = await connect('main', 60_000, sentinel)
    await check()

    old.hang()
    sentinel.promote(next.port)
    await until(() => check().then(isDone, isFailed))

    await expect(check()).resolves.toBeUndefined()
  })

  it('is found although the first sentinel accepts connections and does not respond', async () => {
    const [first, second] = [await openSentinel(), await openSentinel()]
    first.hang()

    const { check } = await connect('main', 1000, first, second)

    await expect(check()).resolves.toBeUndefined()
  })

  it('is named in the problem if the sentinels do not know it', async () => {
    const connecting = connect('other', 1000, await openSentinel())

    await expect(connecting).rejects.toThrow('No such master with that name. Correct sentinel.name.')
  })
})
