// Scans what each argument names, folders with commas between them, and prints what came of it.
import { printReport } from './print-report.js'

for (const folders of process.argv.slice(2)) {
  // oxlint-disable-next-line no-await-in-loop
  await printReport(...folders.split(','))
  process.stdout.write('=====\n')
}
