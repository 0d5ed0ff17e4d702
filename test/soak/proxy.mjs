// Samples behind a real nginx with the configuration of samples/deploy. Needs Linux and nginx 1.27.3 or newer, on the
// PATH or in the variable NGINX; without it, the run is skipped with a message.
import { readFlags } from './program.mjs'
import { findNginx } from './proxy/nginx.mjs'
import { silentStreams, throughProxy } from './proxy/one-process.mjs'
import { amongProcesses } from './proxy/several-processes.mjs'

const flags = readFlags({ 'silent-ms': 80_000 })
const checks = {
  ...throughProxy,
  ...amongProcesses,
  'silent streams stay open': () => silentStreams(flags['silent-ms']),
}
const { version, missing } = findNginx()

if (missing !== undefined) process.stdout.write(`${JSON.stringify({ notRun: missing })}\n`)
else await run()

async function run() {
  const failed = {}
  for (const [name, check] of Object.entries(checks)) {
    try {
      await check()
    } catch (error) {
      failed[name] = error.message
    }
  }
  const names = Object.keys(checks).filter((name) => !(name in failed))
  process.stdout.write(`${JSON.stringify({ nginx: version, passed: names, failed }, null, 2)}\n`)
  process.exitCode = Object.keys(failed).length === 0 ? 0 : 1
}
