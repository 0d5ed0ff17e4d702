// Checks that nothing accumulates: twenty thousand calls leave as much behind as one.
import { join } from 'node:path'
import { runTypeScript } from '../../../../test/support/run-typescript.js'

interface Report {
  readonly injected: Readonly<Record<'made' | 'disposed' | 'alive', number>> & { readonly isAlwaysShared: boolean }
  readonly compiled: { readonly atBoot: number; readonly later: number; readonly areAllRight: boolean }
}

let report: Report

beforeAll(async () => {
  report = (await runTypeScript(join(__dirname, '..', 'fixtures', 'many-calls.ts'))) as Report
})

it('instances that are created for a call are disposed and collected, 20,000 times', () => {
  expect(report.injected).toEqual({ made: 20_000, disposed: 20_000, alive: 0, isAlwaysShared: true })
})

it('each schema is compiled once during 10,000 requests', () => {
  // Two schemas of TypeBox, and one of plain JSON Schema.
  expect(report.compiled).toMatchObject({ later: 3, areAllRight: true })
})
