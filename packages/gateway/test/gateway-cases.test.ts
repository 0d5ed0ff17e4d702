import { existsSync } from 'node:fs'
import type { Server } from 'node:http'
import { join } from 'node:path'
import type { Fact, FactFile, Reason, ServerName, Step } from './facts/fact.js'
import { matches, type Pattern } from './facts/pattern.js'
import { protocolFacts, versionFacts } from './facts/protocol-facts.js'
import { sampleFacts, sessionFacts } from './facts/sample-facts.js'
import { startModel, startServer } from './facts/servers.js'
import { unitFacts } from './facts/unit-facts.js'
import { type Answer, type Running, send } from './facts/wire.js'

const root = join(__dirname, '..', '..', '..')
const files: readonly FactFile[] = [...protocolFacts, versionFacts, ...unitFacts, ...sampleFacts]

/** Outcome of a case. */
interface Outcome {
  readonly name: string
  readonly about: string
  readonly outcome: 'passed' | Reason | 'failed'
  readonly note: string
}

let model: Server
const running = new Map<ServerName, Running>()

beforeAll(async () => {
  model = await startModel()
  const names = new Set(files.flatMap(({ server, cases }) => [server, ...cases.map((one) => one.server ?? server)]))
  await Promise.all([...names].map(async (name) => running.set(name, await startServer(name, model))))
})

afterAll(async () => {
  await Promise.all([...running.values()].map(({ app }) => app.close()))
  model.closeAllConnections()
  model.close()
})

test('the table has all 293 cases of MCP Gateway 1.8.7', () => {
  expect(files.reduce((sum, { cases }) => sum + cases.length, 0)).toBe(293)
  expect(new Set(files.map(({ file }) => file)).size).toBe(files.length)
  expect(files).toHaveLength(59)
})

test('each listed case names an existing test, or the response of the server', () => {
  const loose = files.flatMap(({ file, cases }) =>
    cases.flatMap(({ about, listed }) => {
      if (listed === undefined) return []
      const { heldBy, ours } = listed
      const isHeld = heldBy === undefined ? ours !== undefined : existsSync(join(root, heldBy))
      return isHeld ? [] : [`${file}: ${about}`]
    }),
  )
  expect(loose).toEqual([])
})

test('each case gets the response of MCP Gateway, or is listed with the reason', async () => {
  const outcomes = (await Promise.all(files.map(runFile))).flat()
  process.stdout.write(`${describe(outcomes)}\n`)
  expect(outcomes.filter(({ outcome }) => outcome === 'failed')).toEqual([])
})

test('subscriptions in a session get the responses of MCP Gateway', async () => {
  const outcomes = await runFile(sessionFacts)
  expect(outcomes.filter(({ outcome }) => outcome !== 'passed')).toEqual([])
})

/** Runs the cases of a file one after the other: some count what others have called. */
async function runFile({ file, server, cases }: FactFile): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = []
  for (const [index, one] of cases.entries()) {
    const name = `${file}#${index + 1}`
    // oxlint-disable-next-line no-await-in-loop
    outcomes.push({ name, about: one.about, ...(await run(one, running.get(one.server ?? server) as Running)) })
  }
  return outcomes
}

async function run({ steps, listed }: Fact, server: Running): Promise<Pick<Outcome, 'outcome' | 'note'>> {
  const kept = new Map<string, unknown>()
  for (const [index, step] of steps.entries()) {
    // oxlint-disable-next-line no-await-in-loop
    const answer = await send(server, fill(step, kept))
    for (const [name, path] of Object.entries(step.keep ?? {})) kept.set(name, memberAt(answer, path))
    const isExpected = matches(answer, fillPattern(step.expect, kept))
    if (listed !== undefined && index === (listed.step ?? steps.length - 1)) {
      const judged = judgeListed(listed, isExpected, answer)
      if (judged.outcome === 'failed') return judged
    } else if (!isExpected)
      return { outcome: 'failed', note: `step ${index + 1}: ${JSON.stringify(answer).slice(0, 600)}` }
  }
  return listed === undefined ? { outcome: 'passed', note: '' } : { outcome: listed.reason, note: listed.why }
}

/** Checks that a listed case gets its listed response, which differs from MCP Gateway's. */
function judgeListed(
  { reason, why, ours }: NonNullable<Fact['listed']>,
  isExpected: boolean,
  answer: Answer,
): Pick<Outcome, 'outcome' | 'note'> {
  if (isExpected) return { outcome: 'failed', note: 'it passes: remove it from the list' }
  if (ours === undefined || matches(answer, ours)) return { outcome: reason, note: why }
  return { outcome: 'failed', note: `listed, but answered with ${JSON.stringify(answer).slice(0, 600)}` }
}

function fill(step: Step, kept: ReadonlyMap<string, unknown>): Step {
  const { expect: _unused, keep: _none, ...sent } = step
  const text = JSON.stringify(sent).replaceAll(/\{\{(\w+)\}\}/g, (_whole, name: string) => String(kept.get(name)))
  return { ...(JSON.parse(text) as Step), expect: step.expect }
}

/** Replaces kept values in a pattern. Values in a predicate stay. */
function fillPattern(pattern: Pattern, kept: ReadonlyMap<string, unknown>): Pattern {
  if (typeof pattern === 'string') {
    const name = /^\{\{(\w+)\}\}$/.exec(pattern)?.[1]
    return name === undefined ? pattern : (kept.get(name) as Pattern)
  }
  if (typeof pattern !== 'object' || pattern === null) return pattern
  if (Array.isArray(pattern)) return pattern.map((one) => fillPattern(one as Pattern, kept))
  return Object.fromEntries(Object.entries(pattern).map(([name, one]) => [name, fillPattern(one, kept)]))
}

function memberAt(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((at, name) => Reflect.get(at as object, name), value)
}

function describe(outcomes: readonly Outcome[]): string {
  const counts = countOutcomes(outcomes)
  const width = Math.max(...outcomes.map(({ outcome }) => outcome.length))
  const rows = outcomes.map(({ name, about, outcome, note }) => {
    const why = note === '' ? '' : `\n${' '.repeat(width + 2)}  ${note}`
    return `${outcome.padEnd(width)}  ${name}: ${about}${why}`
  })
  const totals = [...counts].map(([outcome, count]) => `${outcome.padEnd(width)}  ${count}`)
  return ['', ...rows, '', ...totals].join('\n')
}

function countOutcomes(outcomes: readonly Outcome[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { outcome } of outcomes) counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
  return counts
}
