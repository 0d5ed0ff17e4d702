// Compiles and runs one program with each compiler, runner and bundler: `npm run compilers`, or some: `-- Bun`, `-- --quick`.
import { rows, runRow } from './matrix.mjs'

const [wanted = ''] = process.argv.slice(2)
const isWanted = ({ name, isQuick }) => (wanted === '--quick' ? isQuick : name.includes(wanted))
for (const row of rows.filter(isWanted)) {
  const { name, outcome, isRight } = runRow(row)
  console.log(`${isRight ? 'ok    ' : 'WRONG '} ${name}: ${outcome}`)
  if (!isRight) process.exitCode = 1
}
