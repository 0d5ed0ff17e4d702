import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect } from '@toolwright/testing'
import { BookingTools } from './booking-tools.js'

const options = {
  name: 'interactive',
  version: '1.0.0',
  controllers: [BookingTools],
}
const client = { capabilities: { elicitation: { form: {} } } }

test('books a room with the answers of the guest', async () => {
  await using hotel = await connect(options, { client })
  hotel.client.setRequestHandler('elicitation/create', ({ params }) => {
    const isLast = params.message.includes('Breakfast')
    const content: Record<string, string> = isLast
      ? { breakfast: 'buffet' }
      : { name: 'Ada' }
    return { action: 'accept', content }
  })
  const { content } = await hotel.client.callTool({
    name: 'book_room',
    arguments: { nights: 2 },
  })
  assert.match(
    JSON.stringify(content),
    /: Ada, 2 nights, 180 euros paid, breakfast: buffet\./,
  )
})

test('books nothing if the guest declines', async () => {
  await using hotel = await connect(options, { client })
  hotel.client.setRequestHandler('elicitation/create', () => ({
    action: 'decline',
  }))
  const { content } = await hotel.client.callTool({
    name: 'book_room',
    arguments: { nights: 2 },
  })
  assert.deepEqual(content, [{ type: 'text', text: 'Nothing was booked.' }])
})
