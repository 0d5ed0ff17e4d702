// Reads the answers to `inputRequired`, which clients can send in any shape.
import { acceptedContent, inputRequired, type McpServer, Model, Type } from '@toolwright/core'
import { createServer } from '@toolwright/server'
import { pino } from 'pino'
import { sendsHostileRequests } from '../../../../test/support/frames/frames.js'
import { openRawClient } from '../support/raw-client.js'

beforeEach(sendsHostileRequests)

const Guest = Type.Object({ name: Type.String({ maxLength: 10 }), nights: Type.Integer({ default: 2 }) })

class GuestModel extends Model(Guest) {
  get greeting(): string {
    return `Hello, ${this.name}`
  }
}

let server: McpServer

beforeAll(async () => {
  server = await createServer({ name: 'test', version: '1', controllers: [], logger: pino({ level: 'silent' }) })
  const params = { message: 'Who?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } }
  const inputRequests = { who: { method: 'elicitation/create', params } } as const
  server.catalog.addTool({
    name: 'greet',
    handler: (_args: unknown, { inputResponses }) => {
      const guest = acceptedContent(inputResponses, 'who', Guest)
      return guest === undefined ? inputRequired({ inputRequests }) : `${guest.name}, ${guest.nights}`
    },
  })
  server.catalog.addTool({
    name: 'greet_model',
    handler: (_args: unknown, { inputResponses }) =>
      acceptedContent(inputResponses, 'who', GuestModel)?.greeting ?? 'nobody',
  })
  server.catalog.addTool({
    name: 'inherited',
    handler: (_args: unknown, { inputResponses }) =>
      typeof acceptedContent(inputResponses, 'constructor', Type.Object({})),
  })
})

afterAll(() => server.close())

async function answer(name: string, inputResponses: object): Promise<string> {
  await using client = openRawClient(server)
  const { result } = await client.modern('tools/call', { name, inputResponses }, { elicitation: {} })
  return result.resultType === 'input_required' ? 'asks again' : result.content[0].text
}

describe('acceptedContent', () => {
  it('returns the content of an accepted form, with defaults', async () => {
    expect(await answer('greet', { who: { action: 'accept', content: { name: 'Ada' } } })).toBe('Ada, 2')
  })

  it('returns an instance of a model class', async () => {
    expect(await answer('greet_model', { who: { action: 'accept', content: { name: 'Ada' } } })).toBe('Hello, Ada')
  })

  it.each([
    ['no answer', {}],
    ['an answer under another key', { whom: { action: 'accept', content: { name: 'Ada' } } }],
    ['a declined form', { who: { action: 'decline', content: { name: 'Ada' } } }],
    ['a cancelled form', { who: { action: 'cancel' } }],
    ['an unknown action', { who: { action: 'ACCEPT', content: { name: 'Ada' } } }],
    ['a missing action', { who: { content: { name: 'Ada' } } }],
    ['a missing property', { who: { action: 'accept', content: {} } }],
    ['a property of the wrong type', { who: { action: 'accept', content: { name: 7 } } }],
    ['a string that is too long', { who: { action: 'accept', content: { name: 'Ada Lovelace' } } }],
    ['a content that is no object', { who: { action: 'accept', content: 'Ada' } }],
    ['a string', { who: 'accept' }],
    ['null', { who: null }],
    ['a list', { who: [] }],
  ])('returns undefined for %s', async (_case, inputResponses) => {
    expect(await answer('greet', inputResponses)).toBe('asks again')
  })

  it('reads only own members of the answers', async () => {
    expect(await answer('inherited', {})).toBe('undefined')
  })
})
