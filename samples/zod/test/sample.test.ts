import { describeProgram, describeStdioProgram } from '../../../test/support/program-behaviour.js'
import { type ConnectedSample, call, connectSample, programLanes } from '../../../test/support/sample.js'

describeProgram('zod', ['book_room', 'list_bookings'])
describeStdioProgram('zod')

const day = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
const far = new Date(Date.now() + 400 * 86_400_000).toISOString().slice(0, 10)

describe.each(programLanes)('zod over $lane, $era', (lane) => {
  let sample: ConnectedSample

  beforeAll(async () => {
    sample = await connectSample('zod', lane)
  })

  afterAll(() => sample.close())

  it('books a room once, and sends no private note', async () => {
    const booking = { id: `Grace-${day}`, room: 'Grace', day, seats: 4 }
    expect(await call(sample.client, 'book_room', { room: ' GRACE', day })).toMatchObject({
      structuredContent: booking,
    })
    expect(await call(sample.client, 'book_room', { room: 'Grace', day })).toMatchObject({
      isError: true,
      content: [{ text: 'Grace is taken on this day. Choose another room.' }],
    })
    const listed = await call(sample.client, 'list_bookings', { day })
    expect(listed).toMatchObject({ structuredContent: { bookings: [booking] } })
    expect(JSON.stringify(listed)).not.toContain('invoice')
  })

  it('reports all mistakes at once', async () => {
    expect(await call(sample.client, 'book_room', { room: 'attic', day: far, seats: 'many' })).toMatchObject({
      isError: true,
      content: [
        {
          text:
            "Invalid arguments for tool 'book_room': 'room': must be one of Ada, Grace, Katherine; " +
            "'day': is too far ahead; 'seats': Invalid input: expected number, received NaN.",
        },
      ],
    })
  })

  it('serves the bookings of a day as a resource, and plans a meeting', async () => {
    const { contents } = await sample.client.readResource({ uri: `bookings://${day}` })
    expect(JSON.stringify(contents)).toContain(`Grace-${day}`)
    await expect(sample.client.readResource({ uri: 'bookings://someday' })).rejects.toThrow('not found')
    const { messages } = await sample.client.getPrompt({ name: 'plan_meeting', arguments: { day } })
    expect(JSON.stringify(messages)).toContain('Find a room for')
  })
})
