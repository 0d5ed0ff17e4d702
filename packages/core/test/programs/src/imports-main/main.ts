import { printReport } from '../print-report.js'

export const greeting = 'hello'
// With "busy" something keeps the process alive, as a database connection does.
const timer = process.argv[2] === 'busy' ? setInterval(() => undefined, 1000) : undefined

await printReport(new URL('.', import.meta.url))
clearInterval(timer)
