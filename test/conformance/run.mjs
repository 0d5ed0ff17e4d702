// Runs the official conformance suite against samples/everything: `npm run conformance`.
import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findNewerNodes } from '../newer-node/newer-node.mjs'
import { judgeRun } from './judge.mjs'
import { describeRuns } from './report.mjs'
import { startServer } from './server.mjs'
import { runRequirements, runScenarios } from './suite.mjs'

/**
 * The frozen requirement sets of the suite for the newest revision of each era, and the extension outside of them. The
 * numbers are fixed, so that a missing check is noticed.
 */
const plans = [
  {
    name: '2025-11-25',
    fullMark: 'Total: 84 passed, 0 failed',
    run: (options) => runRequirements(options, '2025-11-25'),
  },
  {
    name: '2026-07-28',
    fullMark: 'Total: 196 passed, 0 failed',
    run: (options) => runRequirements(options, '2026-07-28'),
  },
  {
    name: 'skills',
    fullMark: '32 + 6 + 7',
    run: (options) =>
      runScenarios(
        options,
        ['enumeration', 'manifest', 'directory'].map((part) => `sep-2640-skills-${part}`),
      ),
  },
]

/** The server runs in this version of Node and in all newer ones. The suite needs one of these. */
async function main() {
  const newer = findNewerNodes()
  const folder = await mkdtemp(join(tmpdir(), 'toolwright-conformance-'))
  for (const serving of new Set([process.execPath, ...newer])) {
    // oxlint-disable-next-line no-await-in-loop
    await judgeServer(serving, newer[0], folder)
  }
  console.log(`Results are in ${folder}`)
}

async function judgeServer(serving, suiteNode, folder) {
  const title = `Node ${execFileSync(serving, ['--version']).toString().trim().slice(1)}`
  const results = join(folder, title.replace(' ', '-').toLowerCase())
  await mkdir(results)
  console.log(`\n== The server in ${title}`)
  const server = await startServer(serving, join(results, 'server.log'))
  try {
    const judged = await runAll({ node: suiteNode, url: server.url }, results)
    console.log(`\n${title}\n\n${describeRuns(judged)}`)
    if (judged.some(({ errors }) => errors.length > 0)) process.exitCode = 1
  } finally {
    await server.stop()
  }
}

/** Sequential, because some scenarios measure time. */
async function runAll(options, folder) {
  const judged = []
  for (const { name, fullMark, run } of plans) {
    // oxlint-disable-next-line no-await-in-loop
    const result = await run({ ...options, folder: join(folder, name) })
    console.log(`\n== ${name}, as the suite sees it\n\n${result.summary}`)
    judged.push(judgeRun({ name, fullMark, ...result }))
  }
  return judged
}

if (process.argv.length > 2) {
  console.error('npm run conformance\n\nRuns all of the suite. It has no options.')
  process.exit(process.argv.includes('--help') ? 0 : 1)
}

try {
  await main()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
