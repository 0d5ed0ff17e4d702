import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect } from '@toolwright/testing'
import { SeasonTools } from './season-tools.js'

test('serves another tool in December', async () => {
  await using bakery = await connect({
    name: 'notifications',
    version: '1.0.0',
    controllers: [SeasonTools],
  })
  const { client } = bakery
  const listNames = async () =>
    (await client.listTools()).tools.map(({ name }) => name).toSorted()

  assert.deepEqual(await listNames(), ['begin_december', 'end_december'])
  await client.callTool({ name: 'begin_december', arguments: {} })
  const { content } = await client.callTool({
    name: 'bake_stollen',
    arguments: {},
  })
  assert.deepEqual(content, [{ type: 'text', text: 'A stollen' }])
  await client.callTool({ name: 'end_december', arguments: {} })
  assert.deepEqual(await listNames(), ['begin_december', 'end_december'])
})
