import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect } from '@toolwright/testing'
import { WordTools } from './word-tools.js'

test('counts the words and characters of a text', async () => {
  await using words = await connect({
    name: 'words',
    version: '1.0.0',
    controllers: [WordTools],
  })

  const { structuredContent } = await words.client.callTool({
    name: 'count_words',
    arguments: { text: 'to be or not to be' },
  })
  assert.deepEqual(structuredContent, { words: 6, characters: 18 })
})
