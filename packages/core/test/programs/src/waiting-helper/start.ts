import { setTimeout as sleep } from 'node:timers/promises'
import { printReport } from '../print-report.js'

await sleep(1)
await printReport(new URL('.', import.meta.url))
