import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect } from '@toolwright/testing'
import { CookingPrompts } from './cooking-prompts.js'

const options = {
  name: 'prompts',
  version: '1.0.0',
  controllers: [CookingPrompts],
}

test('asks for a shopping list', async () => {
  await using cookbook = await connect(options)
  const args = { kitchen: 'italian', dish: 'risotto', guests: '4' }
  const { messages } = await cookbook.client.getPrompt({
    name: 'plan_meal',
    arguments: args,
  })
  const text = 'Write a shopping list for risotto, italian style, for 4 people.'
  assert.deepEqual(messages, [
    { role: 'user', content: { type: 'text', text } },
  ])
})

test('completes the name of a kitchen', async () => {
  await using cookbook = await connect(options)
  const ref = { type: 'ref/prompt', name: 'plan_meal' } as const
  const { completion } = await cookbook.client.complete({
    ref,
    argument: { name: 'kitchen', value: 'i' },
  })
  assert.ok(completion.values.length > 0)
  assert.ok(completion.values.every((kitchen) => kitchen.startsWith('i')))
})
