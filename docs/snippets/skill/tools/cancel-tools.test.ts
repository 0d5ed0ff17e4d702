import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect } from '@toolwright/testing'
import { CancelTools } from './cancel-tools.js'

const options = { name: 'shop', version: '1.0.0', controllers: [CancelTools] }
const client = { capabilities: { elicitation: { form: {} } } }

test('cancels an order after the user agreed', async () => {
  await using shop = await connect(options, { client })
  shop.client.setRequestHandler('elicitation/create', () => ({
    action: 'accept',
    content: { sure: true },
  }))

  const call = { name: 'cancel_order', arguments: { id: 'A-1' } }
  const { content } = await shop.client.callTool(call)
  assert.deepEqual(content, [
    { type: 'text', text: 'The order A-1 is cancelled.' },
  ])
})
