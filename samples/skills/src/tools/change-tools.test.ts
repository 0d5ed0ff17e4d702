import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect } from '@toolwright/testing'
import { ChangeTools } from './change-tools.js'

// The same path from `src` and from `dist`.
const skills = new URL('../../skills/', import.meta.url)

test('lists the changes, and serves the skill that describes them', async () => {
  await using desk = await connect({
    name: 'skills',
    version: '1.0.0',
    controllers: [ChangeTools],
    skills,
  })
  const { structuredContent } = await desk.client.callTool({
    name: 'list_changes',
    arguments: {},
  })
  assert.equal(
    (structuredContent as { lastVersion: string }).lastVersion,
    '2.3.1',
  )
  const { resources } = await desk.client.listResources()
  assert.ok(resources.some(({ uri }) => uri.endsWith('release-notes/SKILL.md')))
})
