import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect } from '@toolwright/testing'
import { ContentTools } from './content-tools.js'

test('returns every kind of content', async () => {
  await using everything = await connect({
    name: 'everything',
    version: '1.0.0',
    controllers: [ContentTools],
  })
  const result = await everything.client.callTool({
    name: 'test_multiple_content_types',
    arguments: {},
  })
  const content = result.content as { type: string }[]
  assert.deepEqual(content.map(({ type }) => type).toSorted(), [
    'image',
    'resource',
    'text',
  ])
})
