// Reports the processor time and memory of the process on stderr when it exits.
import type { Usage } from '../start-up.js'

process.once('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
  const usage: Usage = { cpuMs: (userCPUTime + systemCPUTime) / 1000, residentMiB: maxRSS / 1024 }
  process.stderr.write(`${JSON.stringify(usage)}\n`)
})
