import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const manifest = createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')
const program = join(dirname(manifest), 'dist', 'index.js')

/**
 * Runs every server scenario of one requirement set.
 *
 * @returns The checks that each scenario made, by scenario, and how the suite itself judged them.
 */
export async function runSuite({ node, url, revision, expectedFailures, folder }) {
  const options = ['--url', url, '--requirements', revision, '--expected-failures', expectedFailures, '-o', folder]
  const child = spawn(node, [program, 'server', ...options], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (output += chunk))
  const [exitCode] = await once(child, 'close')
  const names = [...output.matchAll(/^=== Running scenario: (.+) ===$/gm)].map((match) => match[1])
  const folders = await readdir(folder).catch(() => [])
  const scenarios = await Promise.all(names.map(async (name) => [name, await readChecks(folder, folders, name)]))
  return { revision, scenarios: new Map(scenarios), exitCode, output }
}

const timestamp = /-\d{4}-\d\d-\d\dT[\d-]+Z$/

async function readChecks(folder, folders, scenario) {
  const own = folders.find((name) => name.replace(timestamp, '') === `server-${scenario}`)
  if (own === undefined) return [{ id: 'results', status: 'FAILURE', errorMessage: 'The scenario left no results' }]
  return JSON.parse(await readFile(join(folder, own, 'checks.json'), 'utf8'))
}
