// A client in another process. It calls a server without a pause, and reports how long the calls took.
import { Agent, request } from 'node:http'
import { setTimeout } from 'node:timers/promises'

const url = new URL(process.argv[2].replace('ws:', 'http:').replace('/ws', '/health/live'))
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
let report = { requests: 0, longestMs: 0, over100: 0 }

process.on('message', () => {
  process.send(report)
  report = { requests: 0, longestMs: 0, over100: 0 }
})
process.on('disconnect', () => process.exit())
process.send('ready')

for (;;) {
  const began = performance.now()
  await answered()
  const took = performance.now() - began
  report.requests++
  report.longestMs = Math.max(report.longestMs, Math.round(took))
  if (took > 100) report.over100++
  await setTimeout(20)
}

function answered() {
  return new Promise((resolve, reject) => {
    request(url, { agent }, (response) => response.resume().once('end', resolve))
      .once('error', reject)
      .end()
  })
}
