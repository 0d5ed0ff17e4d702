import { printReport } from '../print-report.js'

// Scans like a plugin whose caller is no longer on the call stack.
await new Promise<void>((resolve) => {
  setImmediate(() => {
    void printReport(new URL('.', import.meta.url)).then(resolve)
  })
})
