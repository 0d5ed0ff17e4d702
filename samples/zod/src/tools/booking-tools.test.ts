import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect } from '@toolwright/testing'
import { BookingTools } from './booking-tools.js'

test('books a room for a date that a client sends as a string', async () => {
  await using connection = await connect({
    name: 'test',
    version: '1.0.0',
    controllers: [BookingTools],
  })
  const day = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
  const booked = await connection.client.callTool({
    name: 'book_room',
    arguments: { room: ' ada ', day, seats: '6' },
  })
  assert.deepEqual(booked.structuredContent, {
    id: `Ada-${day}`,
    room: 'Ada',
    day,
    seats: 6,
  })
})
