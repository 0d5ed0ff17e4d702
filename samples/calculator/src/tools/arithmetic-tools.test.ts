import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect } from '@toolwright/testing'
import { ArithmeticTools } from './arithmetic-tools.js'
import { HistoryTools } from './history-tools.js'

const options = {
  name: 'calculator',
  version: '1.0.0',
  controllers: [ArithmeticTools, HistoryTools],
}

test('adds two numbers', async () => {
  await using calculator = await connect(options)
  const added = await calculator.client.callTool({
    name: 'add_numbers',
    arguments: { a: 2, b: 3 },
  })
  assert.deepEqual(added.structuredContent, { sum: 5 })
})

test('tells the model how to correct a division by zero', async () => {
  await using calculator = await connect(options)
  const failed = await calculator.client.callTool({
    name: 'divide',
    arguments: { dividend: 1, divisor: 0 },
  })
  assert.equal(failed.isError, true)
  assert.deepEqual(failed.content, [
    { type: 'text', text: 'Cannot divide by 0. Give another divisor.' },
  ])
})
