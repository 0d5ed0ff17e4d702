/** A readable summary: a line per scenario, then the failures. */
export function describeRuns(runs) {
  return [
    ...describeScenarios(runs),
    '',
    ...runs.flatMap(({ name, errors }) => errors.map((fault) => `${name}: ${fault}`)),
    ...runs.map(describeTotals),
  ].join('\n')
}

function describeScenarios(runs) {
  const names = [...new Set(runs.flatMap(({ verdicts }) => verdicts.map(({ scenario }) => scenario)))]
  const rows = names.map((name) => [name, ...runs.map((run) => describeVerdict(findVerdict(run, name)))])
  return alignColumns([['scenario', ...runs.map(({ name }) => name)], ...rows])
}

function findVerdict({ verdicts }, name) {
  return verdicts.find(({ scenario }) => scenario === name)
}

function describeVerdict(verdict) {
  if (verdict === undefined) return '-'
  const { isLeftOut, errors, passed, checked } = verdict
  if (isLeftOut) return 'left out by the suite'
  return `${errors.length === 0 ? 'passed' : 'FAILED'} (${passed} of ${checked})`
}

function describeTotals({ name, verdicts, errors }) {
  const leftOut = verdicts.filter(({ isLeftOut }) => isLeftOut).length
  const failed = verdicts.filter((verdict) => verdict.errors.length > 0).length
  const passed = verdicts.length - leftOut - failed
  const also = leftOut === 0 ? '' : `, ${leftOut} left out by the suite`
  return `${name}: ${passed} scenarios passed, ${failed} failed${also}; faults: ${errors.length}`
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
