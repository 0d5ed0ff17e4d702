// Looks for known vulnerabilities, high or critical, in the run-time dependencies of the packages.
import { spawnSync } from 'node:child_process'
import { judgeAudit } from './judge-audit.mjs'

const flags = ['audit', '--prod', '--audit-level', 'high', '--json']
const { stdout, error } = spawnSync('npx', ['--yes', 'pnpm@10', ...flags, ...process.argv.slice(2)], {
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'inherit'],
  // On Windows, npx is a batch file.
  shell: process.platform === 'win32',
  env: { ...process.env, npm_config_fetch_retries: '0' },
  // Limits the time in a network that drops all packets.
  timeout: 60_000,
})
const isLate = error?.code === 'ETIMEDOUT'
const { isGood, text } = isLate
  ? { isGood: true, text: 'not scanned: the registry did not answer in a minute' }
  : judgeAudit(stdout)
process.stdout.write(`${text}\n`)
process.exitCode = isGood ? 0 : 1
