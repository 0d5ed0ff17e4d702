import { printReport } from '../print-report.js'

await printReport(new URL('.', import.meta.url))
