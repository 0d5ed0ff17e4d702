// Arguments that are sent as strings: of prompts and of URIs.
import { Type } from '@toolwright/core'
import { createServer } from '@toolwright/server'
import { connect } from '@toolwright/testing'

async function open() {
  const server = await createServer({ name: 'texts', version: '1.0.0', controllers: [] })
  const Value = Type.Object({
    int: Type.Optional(Type.Integer()),
    number: Type.Optional(Type.Number()),
    either: Type.Optional(Type.Union([Type.Number(), Type.Boolean()])),
    list: Type.Optional(Type.Array(Type.Integer())),
  })
  server.catalog.addPrompt({ name: 'value', input: Value, handler: (args) => JSON.stringify(args) })
  server.catalog.addResource({
    uri: 'days://{day}',
    name: 'days',
    input: Type.Object({ day: Type.Integer() }),
    handler: ({ day }) => String(day),
  })
  return connect(server)
}

it.each([
  ['int', '-12', -12],
  ['int', ' 7 ', 7],
  ['number', '1.5', 1.5],
  ['number', '1e3', 1000],
  ['number', '1e21', 1e21],
  ['number', '9007199254740992', 9_007_199_254_740_992],
  ['either', '1', 1],
  ['either', 'true', true],
  ['either', 'False', false],
  ['list', '3', [3]],
])('%s converts the string %p to %p', async (name, text, value) => {
  await using connection = await open()
  const { messages } = await connection.client.getPrompt({ name: 'value', arguments: { [name]: text } })
  expect(messages).toEqual([{ role: 'user', content: { type: 'text', text: JSON.stringify({ [name]: value }) } }])
})

it.each([
  ['int', '1.5'],
  ['int', 'true'],
  ['int', ''],
  ['int', '1n'],
  ['int', '9007199254740993'],
  ['number', 'false'],
  ['number', ' '],
  ['list', '1.5'],
])('%s does not convert the string %p to a number', async (name, text) => {
  await using connection = await open()
  const given = connection.client.getPrompt({ name: 'value', arguments: { [name]: text } })
  await expect(given).rejects.toMatchObject({ code: -32602, data: { detail: expect.stringContaining(`'${name}`) } })
})

it('an overlong numeric string is rejected before it is parsed', async () => {
  await using connection = await open()
  const timeRejection = async (int: string): Promise<number> => {
    const began = process.cpuUsage()
    await expect(connection.client.getPrompt({ name: 'value', arguments: { int } })).rejects.toMatchObject({
      code: -32602,
    })
    return process.cpuUsage(began).user
  }
  const ofLetters = await timeRejection('x'.repeat(4_000_000))
  // Parsing the digits takes some eight times as long as the rest of the call.
  expect(await timeRejection('9'.repeat(4_000_000))).toBeLessThan(3 * ofLetters)
})

it('a URI with an invalid number is not found', async () => {
  await using connection = await open()
  const { client } = connection
  expect(await client.readResource({ uri: 'days://3' })).toMatchObject({ contents: [{ text: '3' }] })
  await expect(client.readResource({ uri: 'days://3.5' })).rejects.toMatchObject({ code: -32602 })
  await expect(client.readResource({ uri: 'days://true' })).rejects.toMatchObject({ code: -32602 })
  await expect(client.readResource({ uri: 'days://9007199254740993' })).rejects.toMatchObject({ code: -32602 })
})
