// The object of `client.tools` is logged, compared or printed like any other object.
import { format, inspect } from 'node:util'
import { connect } from '@toolwright/client'
import { createShop, type ShopTools } from '../support/shop-tools.js'

test('printing, logging, comparing and awaiting the tools of a class sends no request', async () => {
  const server = await createShop()
  const client = await connect(server)
  const tools = client.tools<ShopTools>()
  const streams = client.streams<ShopTools>()
  const sent: unknown[] = []
  const { transport } = client.official
  const send = transport?.send.bind(transport)
  if (transport !== undefined && send !== undefined) {
    transport.send = (message, options) => {
      sent.push(message)
      return send(message, options)
    }
  }
  for (const object of [tools, streams]) {
    expect(String(object as unknown)).toBe('[object Object]')
    expect(JSON.stringify({ object })).toBe('{"object":{}}')
    expect(inspect(object)).toContain('{}')
    expect(format('%s %j', object, object)).toContain('{}')
    expect(object).toEqual({})
    expect(object).not.toEqual({ countArticles: 1 })
    expect([object]).toContain(object)
    expect(() => expect(object).toBe(1)).toThrow('Expected: 1')
    // oxlint-disable-next-line no-await-in-loop, typescript/await-thenable -- an `await` must not call a tool
    expect(await object).toBe(object)
    expect(object instanceof Promise).toBe(false)
  }
  await new Promise(setImmediate)

  expect(sent).toStrictEqual([])
  expect(await tools.countArticles()).toBe(2)
  await client.close()
  await server.close()
})
