import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect } from '@toolwright/testing'
import { OrderTools } from './order-tools.js'

const options = { name: 'deploy', version: '1.0.0', controllers: [OrderTools] }

test('returns the location of an order', async () => {
  await using orders = await connect(options)
  const { content } = await orders.client.callTool({
    name: 'track_order',
    arguments: { order: '12' },
  })
  assert.deepEqual(content, [{ type: 'text', text: 'Order 12 is on its way.' }])
})

test('rejects an order that is not a number', async () => {
  await using orders = await connect(options)
  const failed = await orders.client.callTool({
    name: 'track_order',
    arguments: { order: 'twelve' },
  })
  assert.equal(failed.isError, true)
})
