import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect } from '@toolwright/testing'
import { FilmTools } from './film-tools.js'

const options = { name: 'tasks', version: '1.0.0', controllers: [FilmTools] }

test('renders a film, and waits for it without a task', async () => {
  await using laboratory = await connect(options)
  const { content } = await laboratory.client.callTool({
    name: 'render',
    arguments: { title: 'Metropolis', frames: 1 },
  })
  assert.deepEqual(content, [
    { type: 'text', text: "Rendered 'Metropolis': 1 frames." },
  ])
})

test('names a film that does not exist', async () => {
  await using laboratory = await connect(options)
  const failed = await laboratory.client.callTool({
    name: 'destroy',
    arguments: { title: 'Nosferatu' },
  })
  assert.equal(failed.isError, true)
  assert.deepEqual(failed.content, [
    { type: 'text', text: "There is no film 'Nosferatu'." },
  ])
})
