import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect } from '@toolwright/testing'
import { GuestBookTools } from './guest-book.js'

const options = {
  name: 'test',
  version: '1.0.0',
  controllers: [GuestBookTools],
  authorization: {},
}

test('a guest signs with the name that the provider sent', async () => {
  const principal = {
    subject: 'ann',
    scopes: ['book:read', 'book:write'],
    claims: { name: 'Ann' },
  }
  await using connection = await connect(options, { principal })
  const { sign, read } = connection.tools<GuestBookTools>()
  await sign({ text: 'Hello' })
  assert.equal(await read(), 'Ann: Hello')
})
