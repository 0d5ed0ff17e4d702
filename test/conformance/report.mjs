const marks = { passed: 'passed', expected: 'expected to fail', skipped: 'not exercised', failed: 'FAILED' }

/** Some hold a whole message of the protocol. The results on disk have all of it. */
const longestMessage = 300

/** The summary that a person reads: a line per scenario, then what has to be done about it. */
export function describeRuns(runs, unknown) {
  return [
    ...describeScenarios(runs),
    '',
    ...runs.flatMap(describeSurprises),
    ...runs.flatMap(({ revision, stale }) => stale.map((entry) => `${entry} passes by now in ${revision}: ${remove}.`)),
    ...unknown.map((entry) => `${entry} is no scenario of any run: ${remove}.`),
    ...runs.map(describeTotals),
  ].join('\n')
}

const remove = 'remove it from expected-failures.yaml'

function describeScenarios(runs) {
  const names = [...new Set(runs.flatMap(({ verdicts }) => verdicts.map(({ name }) => name)))]
  const rows = names.map((name) => [name, ...runs.map((run) => describeVerdict(findVerdict(run, name)))])
  return alignColumns([['scenario', ...runs.map(({ revision }) => revision)], ...rows])
}

function findVerdict({ verdicts }, name) {
  return verdicts.find((verdict) => verdict.name === name)
}

function describeVerdict(verdict) {
  if (verdict === undefined) return '-'
  const { outcome, passed, checked } = verdict
  return `${marks[outcome]} (${passed} of ${checked})`
}

function describeSurprises({ revision, verdicts }) {
  return verdicts.flatMap(({ name, surprises }) =>
    surprises.map(({ id, status, errorMessage = '' }) => {
      const message = errorMessage.length > longestMessage ? `${errorMessage.slice(0, longestMessage)}…` : errorMessage
      return `${status} ${revision} ${name}:${id}\n  ${message}`
    }),
  )
}

function describeTotals({ revision, verdicts }) {
  const count = (outcome) => verdicts.filter((verdict) => verdict.outcome === outcome).length
  return (
    `${revision}: ${verdicts.length} scenarios: ${count('passed')} passed, ${count('expected')} expected to fail, ` +
    `${count('skipped')} not exercised, ${count('failed')} failed`
  )
}

function alignColumns(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)))
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]))
      .join('  ')
      .trimEnd(),
  )
}
