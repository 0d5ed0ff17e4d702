import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect } from '@toolwright/testing'
import { UserTools } from './user-tools.js'

const options = {
  name: 'authorization',
  version: '1.0.0',
  controllers: [UserTools],
}

async function listNames(
  principal: { subject: string; roles: string[] } | null,
): Promise<string[]> {
  await using directory = await connect(options, { principal })
  const { tools } = await directory.client.listTools()
  return tools.map(({ name }) => name).toSorted()
}

test('lists the tools that a caller may use', async () => {
  assert.deepEqual(await listNames(null), [])
  assert.deepEqual(await listNames({ subject: 'bob', roles: ['User'] }), [
    'get_user_list',
  ])
  assert.deepEqual(await listNames({ subject: 'eve', roles: ['Manager'] }), [
    'create_user',
    'get_user_list',
  ])
})

test('creates a user for a manager with the scope', async () => {
  const principal = {
    subject: 'eve',
    roles: ['Manager'],
    scopes: ['tools:write'],
  }
  await using directory = await connect(options, { principal })
  const { content } = await directory.client.callTool({
    name: 'create_user',
    arguments: { name: 'mallory' },
  })
  assert.deepEqual(content, [
    { type: 'text', text: "eve created 'mallory' as User." },
  ])
})
