import { printReport } from '../print-report.js'

// As a plugin does it, whose caller is no longer on the call stack.
await new Promise<void>((resolve) => {
  setImmediate(() => {
    void printReport(new URL('.', import.meta.url)).then(resolve)
  })
})
