import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openApi } from '@toolwright/openapi'
import { connect } from '@toolwright/testing'
import { startShop } from './shop.js'
import { shopDocument } from './shop-document.js'

test('the tools call the shop', async () => {
  const shop = await startShop()
  const source = openApi({
    document: shopDocument,
    baseUrl: shop.url,
    allowPrivate: ['127.0.0.1'],
    auth: () => ({ headers: { 'x-api-key': shop.key } }),
  })
  await using connection = await connect({
    name: 'test',
    version: '1.0.0',
    sources: [source],
  })
  const { structuredContent } = await connection.client.callTool({
    name: 'order_seeds',
    arguments: { seed: 'kale', packets: 2 },
  })
  assert.deepEqual(structuredContent, { id: 1, seed: 'kale', packets: 2 })
  await shop.close()
})
