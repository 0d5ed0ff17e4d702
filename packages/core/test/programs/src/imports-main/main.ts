import { printReport } from '../print-report.js'

export const greeting = 'hello'
// With "busy", a timer keeps the process alive, like a database connection.
const timer = process.argv[2] === 'busy' ? setInterval(() => undefined, 1000) : undefined

await printReport(new URL('.', import.meta.url))
clearInterval(timer)
