import { printReport } from './print-report.js'

await printReport(...process.argv.slice(2))
