import { expectTable } from './markdown.js'
import { type OptionTable, readOptionTables, toCells } from './option-tables.js'

let tables: readonly OptionTable[]

beforeAll(async () => {
  tables = await readOptionTables()
})

test('tables of options match the options in the code', () => {
  for (const table of tables) expectTable(table.page, table.mark, toCells(table))
})

test('comments of options state the default of the code', () => {
  const wrong = tables.flatMap(({ mark, options }) =>
    options
      .filter(
        ({ expectedDefault, writtenDefault }) => expectedDefault !== undefined && expectedDefault !== writtenDefault,
      )
      .map(({ name, expectedDefault }) => `${mark}: end the comment of ${name} with "Default: ${expectedDefault}."`),
  )
  expect(wrong).toEqual([])
})

test('each option has a comment', () => {
  const silent = tables.flatMap(({ mark, options }) =>
    options.filter(({ means }) => means === '').map(({ name }) => `${mark}: ${name}`),
  )
  expect(silent).toEqual([])
})
