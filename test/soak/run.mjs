// `npm run soak`: the long runs of everything that a release has to stand, one after the other.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const scripts = [
  'sigterm',
  'overload',
  'slow-readers',
  'one-request',
  'large-bodies',
  'memory',
  'strangers',
  'forbidden',
  'session-store',
  'proxy',
  'latency',
]

for (const script of scripts) {
  process.stdout.write(`${script}: `)
  const path = fileURLToPath(new URL(`./${script}.mjs`, import.meta.url))
  const [code] = await once(spawn(process.execPath, [path], { stdio: 'inherit' }), 'exit')
  if (code !== 0) {
    process.stdout.write(`${script} is beyond its bounds\n`)
    process.exitCode = 1
  }
}
