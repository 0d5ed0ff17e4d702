// Looks for known vulnerabilities, high or critical, in what the packages depend on at run time.
import { spawnSync } from 'node:child_process'
import { judgeAudit } from './judge-audit.mjs'

const flags = ['audit', '--prod', '--audit-level', 'high', '--json']
const { stdout, error } = spawnSync('npx', ['--yes', 'pnpm@10', ...flags, ...process.argv.slice(2)], {
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'inherit'],
  // npx is a batch file there.
  shell: process.platform === 'win32',
  env: { ...process.env, npm_config_fetch_retries: '0' },
  // So that a network that swallows everything holds nothing up.
  timeout: 60_000,
})
const isLate = error?.code === 'ETIMEDOUT'
const { isGood, text } = isLate
  ? { isGood: true, text: 'not scanned: the registry did not answer in a minute' }
  : judgeAudit(stdout)
process.stdout.write(`${text}\n`)
process.exitCode = isGood ? 0 : 1
