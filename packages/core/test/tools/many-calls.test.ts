// What must not add up: twenty thousand calls leave behind what one call does.
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

it('what is made for one call is disposed with it and held by nobody, 20,000 times', () => {
  expect(report.injected).toEqual({ made: 20_000, disposed: 20_000, alive: 0, isAlwaysShared: true })
})

it('schemas are compiled at boot, and nothing is in 10,000 requests', () => {
  // Two of TypeBox, one of Ajv.
  expect(report.compiled.atBoot).toBeGreaterThanOrEqual(3)
  expect(report.compiled).toMatchObject({ later: 0, areAllRight: true })
})
