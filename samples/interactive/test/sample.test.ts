import type { Client } from '@modelcontextprotocol/client'
import { describeProgram } from '../../../test/support/program-behaviour.js'
import { type ConnectedSample, call, connectSample, programLanes } from '../../../test/support/sample.js'

describeProgram('interactive', ['book_room', 'payments'])

const guest = { action: 'accept', content: { name: 'Ada' } } as const
const buffet = { action: 'accept', content: { breakfast: 'buffet' } } as const

/** The client: answers the requests in order, and stores them. */
function answer(client: Client, ...answers: readonly object[]): readonly string[] {
  const asked: string[] = []
  client.setRequestHandler('elicitation/create', ({ params }) => {
    asked.push(params.message)
    return answers[asked.length - 1] as never
  })
  return asked
}

function textOf(result: object): string {
  return (result as { content: readonly { text: string }[] }).content[0]?.text ?? ''
}

describe.each(programLanes)('interactive over $lane, $era', (lane) => {
  let sample: ConnectedSample
  let client: Client

  beforeAll(async () => {
    sample = await connectSample('interactive', lane, {}, { capabilities: { elicitation: { form: {} } } })
    client = sample.client
  })

  afterAll(() => sample.close())

  it('sends two requests, and charges once', async () => {
    const asked = answer(client, guest, buffet)
    const text = textOf(await call(client, 'book_room', { nights: 2 }))
    const [, booking = ''] =
      /^Booking ([0-9a-f-]{36}): Ada, 2 nights, 180 euros paid, breakfast: buffet\.$/.exec(text) ?? []
    expect(asked).toEqual([
      'A room for 2 nights costs 180 euros. Who books it?',
      'Thank you, Ada. Breakfast is paid at the hotel. Do you want it?',
    ])
    expect(textOf(await call(client, 'payments', { booking }))).toBe('1 payments: 180 euros')
  })

  it('charges nothing when the guest declines', async () => {
    const asked = answer(client, { action: 'decline' })
    expect(textOf(await call(client, 'book_room', { nights: 1 }))).toBe('Nothing was booked.')
    expect(asked).toHaveLength(1)
  })

  it('keeps the booking of a guest who does not answer the second request', async () => {
    answer(client, guest, { action: 'cancel' })
    expect(textOf(await call(client, 'book_room', { nights: 3 }))).toMatch(/270 euros paid, breakfast: none\.$/)
  })
})

it('interactive does not book for a client without elicitation', async () => {
  const sample = await connectSample('interactive', { lane: 'http', era: 'legacy' })
  try {
    expect(await call(sample.client, 'book_room', { nights: 1 })).toEqual({
      content: [{ type: 'text', text: 'Missing required client capability: elicitation.form' }],
      isError: true,
    })
  } finally {
    await sample.close()
  }
})
