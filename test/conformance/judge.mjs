import { scenarioOf } from './expectations.mjs'

/** From harmless to worst: a check that was made several times is as good as its worst result. */
const statuses = ['INFO', 'SUCCESS', 'SKIPPED', 'WARNING', 'FAILURE']

/** Every message fits the official schema. That holds whatever is not built yet, so no scenario's entry excuses it. */
const messagesCheck = 'wire-schema-valid'

/**
 * Compares what a run found with what was expected, check by check: a scenario that is to fail in part must not fail in
 * another part, and what passes by now must not be expected to fail.
 */
export function judgeRun({ revision, scenarios }, expectations) {
  const used = new Set()
  const verdicts = [...scenarios].map(([name, checks]) => judgeScenario(name, checks, expectations, used))
  const stale = [...expectations.failing, ...expectations.skipped].filter(
    (entry) => scenarios.has(scenarioOf(entry)) && !used.has(entry),
  )
  return { revision, verdicts, stale }
}

/** Entries for scenarios that no run had. */
export function unknownEntries(runs, { failing, skipped }) {
  return [...failing, ...skipped].filter((entry) => runs.every(({ scenarios }) => !scenarios.has(scenarioOf(entry))))
}

function judgeScenario(name, checks, { failing, skipped }, used) {
  const merged = mergeChecks(checks)
  const isExpected = ({ id, status }) => {
    const entries = status === 'SKIPPED' ? [...skipped, ...failing] : failing
    const covers = (entry) => entry === `${name}:${id}` || (entry === name && id !== messagesCheck)
    const entry = entries.find(covers)
    if (entry !== undefined) used.add(entry)
    return entry !== undefined
  }
  const unmet = merged.filter(({ status }) => status !== 'SUCCESS')
  const surprises = unmet.filter((check) => !isExpected(check))
  const passed = merged.length - unmet.length
  return { name, outcome: outcomeOf(unmet, surprises), passed, checked: merged.length, surprises }
}

function outcomeOf(unmet, surprises) {
  if (surprises.length > 0) return 'failed'
  if (unmet.length === 0) return 'passed'
  return unmet.every(({ status }) => status === 'SKIPPED') ? 'skipped' : 'expected'
}

function mergeChecks(checks) {
  const byId = new Map()
  for (const check of checks) {
    const known = byId.get(check.id)
    if (known === undefined || rank(check) > rank(known)) byId.set(check.id, check)
  }
  const merged = [...byId.values()].filter(({ status }) => status !== 'INFO')
  // A scenario that looks but checks nothing would pass whatever the server does.
  return merged.length > 0 ? merged : [{ id: 'none', status: 'SKIPPED', errorMessage: 'Nothing was checked' }]
}

function rank({ status }) {
  return statuses.indexOf(status)
}
