import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect } from '@toolwright/testing'
import { SpendingPage } from '../resources/spending-page.js'
import { SpendingTools } from './spending-tools.js'

const options = {
  name: 'apps',
  version: '1.0.0',
  controllers: [SpendingTools, SpendingPage],
}

test('returns the numbers as text to clients without apps', async () => {
  await using book = await connect(options)
  const { content } = await book.client.callTool({
    name: 'show_spending',
    arguments: { month: '2031-04' },
  })
  const [first] = content as { text: string }[]
  assert.match(
    first?.text ?? '',
    /^\d+ euros were spent in 2031-04\.\n\w+: \d+ euros\n/,
  )
})

test('names the available months', async () => {
  await using book = await connect(options)
  const failed = await book.client.callTool({
    name: 'show_spending',
    arguments: { month: '1999-01' },
  })
  assert.equal(failed.isError, true)
  assert.match(JSON.stringify(failed.content), /Available months: 2031-\d\d/)
})
