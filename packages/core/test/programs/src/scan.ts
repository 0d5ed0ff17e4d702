// Scans the folders of each argument, separated by commas, and prints the report.
import { printReport } from './print-report.js'

for (const folders of process.argv.slice(2)) {
  // oxlint-disable-next-line no-await-in-loop
  await printReport(...folders.split(','))
  process.stdout.write('=====\n')
}
