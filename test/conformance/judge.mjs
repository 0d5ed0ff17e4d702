/** From best to worst: a check that ran several times has its worst result. */
const statuses = ['INFO', 'SUCCESS', 'SKIPPED', 'WARNING', 'FAILURE']

/** Scenario for which the suite has no code, and which it always skips. */
const neverMade = 'tasks-status-notifications'

/**
 * Rates the checks of a run more strictly than the suite: a warning is a failure, and so is a missing check, because a
 * scenario without checks would always pass.
 */
export function judgeRun({ name, scenarios, total, fullMark, exitCode, output }) {
  const verdicts = [...scenarios].map(([scenario, checks]) => judgeScenario(scenario, checks))
  const errors = verdicts.flatMap((verdict) => verdict.errors)
  if (exitCode !== 0) errors.push(`The suite ended with code ${exitCode}:\n${output.slice(-4000)}`)
  if (total !== fullMark) errors.push(`The suite's total is '${total}', not '${fullMark}'`)
  return { name, verdicts, errors }
}

function judgeScenario(scenario, checks) {
  const merged = mergeChecks(checks)
  const unmet = merged.filter(({ status }) => status !== 'SUCCESS')
  const isLeftOut = scenario === neverMade && unmet.every(({ status }) => status === 'SKIPPED')
  const errors = isLeftOut ? [] : unmet.map((check) => describeError(scenario, check))
  if (scenario === neverMade && unmet.length === 0)
    errors.push(`The suite now checks ${scenario}: treat it like the others`)
  return { scenario, isLeftOut, errors, passed: merged.length - unmet.length, checked: merged.length }
}

/** Characters of a message that are shown, because some contain a whole frame. The results on disk are complete. */
const longestMessage = 300

function describeError(scenario, { id, status, errorMessage = '' }) {
  const isLong = errorMessage.length > longestMessage
  return `${status} ${scenario}:${id}\n  ${isLong ? `${errorMessage.slice(0, longestMessage)}…` : errorMessage}`
}

function mergeChecks(checks) {
  const byId = new Map()
  for (const check of checks) {
    const known = byId.get(check.id)
    if (known === undefined || rank(check) > rank(known)) byId.set(check.id, check)
  }
  const merged = [...byId.values()].filter(({ status }) => status !== 'INFO')
  return merged.length > 0 ? merged : [{ id: 'none', status: 'SKIPPED', errorMessage: 'Nothing was checked' }]
}

function rank({ status }) {
  return statuses.indexOf(status)
}
