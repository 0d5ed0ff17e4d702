// `npm run soak`: all long runs of a release, one after the other. `npm run soak -- memory` runs only the named ones.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const scripts = [
  'sigterm',
  'endings',
  'overload',
  'slow-readers',
  'line-speed',
  'one-request',
  'large-bodies',
  'large-results',
  'memory',
  'strangers',
  'forbidden',
  'session-store',
  'redis-cluster',
  'redis-sentinels',
  'proxy',
  'latency',
  'silent-call',
  'streams',
  'stream-endings',
  'typed-client',
  'logins',
  'upstream-outage',
]

const named = process.argv.slice(2)
if (named.some((name) => !scripts.includes(name))) {
  process.stderr.write(
    `npm run soak -- [names]\n\nRuns all of these scripts, or the named scripts: ${scripts.join(', ')}\n`,
  )
  process.exit(named.includes('--help') ? 0 : 1)
}

for (const script of named.length === 0 ? scripts : named) {
  process.stdout.write(`${script}: `)
  const path = fileURLToPath(new URL(`./${script}.mjs`, import.meta.url))
  const [code] = await once(spawn(process.execPath, [path], { stdio: 'inherit' }), 'exit')
  if (code !== 0) {
    process.stdout.write(`${script} exceeds its limits\n`)
    process.exitCode = 1
  }
}
