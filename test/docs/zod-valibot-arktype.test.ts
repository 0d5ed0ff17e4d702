// Runs the code of "Use Zod, Valibot or ArkType", and checks the texts on the page.
import { connect } from '@toolwright/testing'
import {
  ArkTools,
  BookingTools,
  HolidayTools,
  Plans,
  readSettings,
  usualRoom,
  ValibotTools,
  ZodTools,
} from '../../docs/snippets/zod-valibot-arktype.js'
import { readPage } from './markdown.js'

const page = readPage('docs/how-to/use-zod-valibot-or-arktype.md')
const options = { name: 'test', version: '1.0.0' }

function textOf({ content }: { readonly content?: unknown }): string | undefined {
  return (content as readonly { readonly text?: string }[])[0]?.text
}

test('books with Zod, also the usual room of the hook, and shows the mistakes of the page', async () => {
  await using connection = await connect({ ...options, controllers: [ZodTools], hooks: [usualRoom] })
  const book = (args: Record<string, unknown>) => connection.client.callTool({ name: 'book', arguments: args })
  expect(textOf(await book({ room: ' Ada ', day: '2026-01-31', seats: '5' }))).toBe('Ada, Sat Jan 31 2026, 5 seats')
  const mistakes = textOf(await book({ room: 'Bob', day: 'today' }))
  expect(page).toContain(`\n${mistakes}\n`)
})

test.each([
  ['Valibot', ValibotTools],
  ['ArkType', ArkTools],
])('books with %s', async (_library, controller) => {
  await using connection = await connect({ ...options, controllers: [controller] })
  const booked = await connection.client.callTool({ name: 'book', arguments: { day: '2026-01-31' } })
  expect(textOf(booked)).toBe('Sat Jan 31 2026, 4 seats')
})

test('sends the result of the page', async () => {
  await using connection = await connect({ ...options, controllers: [BookingTools] })
  const { structuredContent } = await connection.client.callTool({ name: 'find' })
  expect(page).toContain(JSON.stringify(structuredContent, null, 1).replaceAll(/\n\s*/g, ' '))
})

test('serves the prompt, the resource and the codec', async () => {
  await using connection = await connect({ ...options, controllers: [Plans, HolidayTools] })
  const { messages } = await connection.client.getPrompt({ name: 'plan', arguments: { day: '2026-01-31', seats: '3' } })
  expect(JSON.stringify(messages)).toContain('3 people on Sat Jan 31 2026')
  const { contents } = await connection.client.readResource({ uri: 'plans://2026-01-31' })
  expect(JSON.stringify(contents)).toContain('2026')
  expect(await connection.client.callTool({ name: 'move', arguments: { day: '2026-01-31' } })).toMatchObject({
    structuredContent: { day: '2026-02-01' },
  })
})

test('reads the settings', () => {
  expect(readSettings({ API_KEY: 'a long key of the API' })).toEqual({ API_KEY: 'a long key of the API', PORT: 3000 })
})
