// A browser opens six connections to a server over HTTP/1.1: with a request for each subscription, calls would wait.
import { connect } from '@toolwright/client'
import { until } from '../../../../test/support/until.js'
import { serveShop } from '../support/lanes.js'
import type { ShopTools } from '../support/shop-tools.js'

/** A `fetch` that counts the open requests for notifications. */
function countListening() {
  const open = new Set<AbortSignal>()
  const counted = (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    const { body, signal } = init
    if (typeof body === 'string' && body.includes('subscriptions/listen') && body.includes('"id"') && signal) {
      open.add(signal)
      signal.addEventListener('abort', () => open.delete(signal))
    }
    return fetch(url, init)
  }
  return { open, fetch: counted }
}

test('the subscriptions of a client share one request, and end one after the other', async () => {
  await using shop = await serveShop()
  const counter = countListening()
  await using client = await connect(shop.http, { era: 'modern', fetch: counter.fetch })
  const changes = await Promise.all(Array.from({ length: 8 }, () => client.changes()))
  const tea = await client.updates('shop://stock/tea')
  const salt = await client.updates(['shop://stock/salt', 'shop://stock/tea'])
  expect(counter.open.size).toBe(1)

  shop.server.changes.resourceUpdated('shop://stock/tea')
  expect(await Promise.all([tea.next(), salt.next()])).toMatchObject([
    { value: 'shop://stock/tea' },
    { value: 'shop://stock/tea' },
  ])
  await salt.close()
  shop.server.catalog.addTool({ name: 'refund', handler: () => 'refunded' })
  const values = await Promise.all(changes.map((each) => each.next()))
  expect(new Set(values.map(({ value }) => value))).toStrictEqual(new Set(['tools']))
  shop.server.changes.resourceUpdated('shop://stock/tea')
  expect((await tea.next()).value).toBe('shop://stock/tea')
  expect(await client.tools<ShopTools>().countArticles()).toBe(2)

  await Promise.all(changes.map((each) => each.close()))
  expect(counter.open.size).toBe(1)
  await tea.close()
  await until(() => counter.open.size === 0)
})

test('a subscription that the server rejects beside others gets a separate request', async () => {
  await using shop = await serveShop(0, {}, { limits: { maxMessageBytes: 4096 } })
  const counter = countListening()
  await using client = await connect(shop.http, { era: 'modern', fetch: counter.fetch })
  const urisOf = (article: string): string[] =>
    Array.from({ length: 40 }, (_, index) => `shop://stock/${article}-${String(index).padStart(30, '0')}`)
  const teas = await client.updates(urisOf('tea'))
  const salts = await client.updates(urisOf('salt'))
  expect(counter.open.size).toBe(2)
  for (const [updates, uris] of [
    [teas, urisOf('tea')],
    [salts, urisOf('salt')],
  ] as const) {
    shop.server.changes.resourceUpdated(uris[0] as string)
    // oxlint-disable-next-line no-await-in-loop -- one event after the other
    expect((await updates.next()).value).toBe(uris[0])
  }
})
