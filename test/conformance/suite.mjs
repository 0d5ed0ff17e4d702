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
 * @returns The checks of each scenario, by scenario, and the verdict of the suite.
 */
export async function runRequirements({ node, url, folder }, revision) {
  const { exitCode, output } = await run(node, ['--url', url, '--requirements', revision, '-o', folder])
  const names = [...output.matchAll(/^=== Running scenario: (.+) ===$/gm)].map((match) => match[1])
  const summary = output.slice(output.indexOf('=== SUMMARY ===')).trim()
  const [total = 'none'] = /^Total: .*$/m.exec(summary) ?? []
  return { scenarios: await readScenarios(folder, names), total, summary, exitCode, output }
}

/**
 * Runs scenarios outside of the requirement sets. The suite counts only within one scenario, so the total is calculated
 * here.
 */
export async function runScenarios({ node, url, folder }, names) {
  const runs = []
  for (const name of names) {
    // oxlint-disable-next-line no-await-in-loop
    runs.push(await run(node, ['--url', url, '--scenario', name, '-o', folder]))
  }
  const results = runs.map(({ output }) => /^Passed: .*$/m.exec(output)?.[0] ?? 'no result')
  const summary = names.map((name, index) => `${name}: ${results[index]}`).join('\n')
  const counts = results.map(
    (result) => (/^Passed: (\d+)\/\1, 0 failed, 0 warnings$/.exec(result) ?? [])[1] ?? 'failed',
  )
  const exitCode = runs.find((each) => each.exitCode !== 0)?.exitCode ?? 0
  const output = runs.map((each) => each.output).join('\n')
  return { scenarios: await readScenarios(folder, names), total: counts.join(' + '), summary, exitCode, output }
}

async function run(node, options) {
  const child = spawn(node, [program, 'server', ...options], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (output += chunk))
  const [exitCode] = await once(child, 'close')
  return { exitCode, output }
}

async function readScenarios(folder, names) {
  const folders = await readdir(folder).catch(() => [])
  return new Map(await Promise.all(names.map(async (name) => [name, await readChecks(folder, folders, name)])))
}

const timestamp = /-\d{4}-\d\d-\d\dT[\d-]+Z$/

async function readChecks(folder, folders, scenario) {
  const own = folders.find((name) => name.replace(timestamp, '') === `server-${scenario}`)
  if (own === undefined) return [{ id: 'results', status: 'FAILURE', errorMessage: 'The scenario left no results' }]
  return JSON.parse(await readFile(join(folder, own, 'checks.json'), 'utf8'))
}
