import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect } from '@toolwright/testing'
import { mount } from 'toolwright'
import { shop } from './options.js'

test('the tools of the shop have the prefix of the mount', async () => {
  await using connection = await connect(
    {
      name: 'test',
      version: '1.0.0',
      sources: [mount(shop, { prefix: 'shop_' })],
    },
    { principal: { subject: 'ada' } },
  )
  const { content } = await connection.client.callTool({
    name: 'shop_order',
    arguments: { article: 'tea', units: 2 },
  })
  assert.deepEqual(content, [{ type: 'text', text: 'Ordered 2 x tea' }])
})
