import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect } from '@toolwright/testing'
import { MuseumResources } from './museum-resources.js'

const options = {
  name: 'resources',
  version: '1.0.0',
  controllers: [MuseumResources],
}

test('reads a resource with a fixed URI', async () => {
  await using museum = await connect(options)
  const { contents } = await museum.client.readResource({
    uri: 'museum://opening-hours',
  })
  assert.equal(
    (contents[0] as { text: string }).text,
    'Tuesday to Sunday, 10 to 18',
  )
})

test('completes and reads the number of an exhibit', async () => {
  await using museum = await connect(options)
  const ref = {
    type: 'ref/resource',
    uri: 'museum://exhibits/{number}',
  } as const
  const { completion } = await museum.client.complete({
    ref,
    argument: { name: 'number', value: '' },
  })
  const [number] = completion.values
  const { contents } = await museum.client.readResource({
    uri: `museum://exhibits/${number}`,
  })
  assert.equal(contents[0]?.mimeType, 'application/json')
})

test('rejects the number of an exhibit that does not exist', async () => {
  await using museum = await connect(options)
  await assert.rejects(
    museum.client.readResource({ uri: 'museum://exhibits/999' }),
  )
})
