// Runs the official conformance suite against samples/everything: `npm run conformance`.
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readExpectations } from './expectations.mjs'
import { judgeRun, unknownEntries } from './judge.mjs'
import { findNode22 } from './node-22.mjs'
import { describeRuns } from './report.mjs'
import { startServer } from './server.mjs'
import { runSuite } from './suite.mjs'

/** The frozen requirement sets of the suite: the newest revision of either era. */
const revisions = ['2025-11-25', '2026-07-28']
const expectedFailures = fileURLToPath(new URL('expected-failures.yaml', import.meta.url))

async function main() {
  const node = findNode22()
  const expectations = await readExpectations(expectedFailures)
  const folder = await mkdtemp(join(tmpdir(), 'toolwright-conformance-'))
  const server = await startServer(join(folder, 'server.log'))
  try {
    const runs = await runAll({ node, url: server.url, expectedFailures }, folder)
    const judged = runs.map((run) => judgeRun(run, expectations))
    const unknown = unknownEntries(runs, expectations)
    console.log(describeRuns(judged, unknown))
    console.log(`Results are in ${folder}`)
    if (!isFine(judged, unknown)) process.exitCode = 1
    else for (const run of runs) assertAgreement(run)
  } finally {
    await server.stop()
  }
}

/** One after the other: some scenarios measure time. */
async function runAll(options, folder) {
  const runs = []
  for (const revision of revisions) {
    // oxlint-disable-next-line no-await-in-loop
    runs.push(await runSuite({ ...options, revision, folder: join(folder, revision) }))
  }
  return runs
}

function isFine(judged, unknown) {
  const surprises = judged.flatMap(({ verdicts }) => verdicts.flatMap((verdict) => verdict.surprises))
  const stale = judged.flatMap((run) => run.stale)
  return surprises.length + stale.length + unknown.length === 0
}

/** The suite may have stopped half-way, or see something that the results do not show. */
function assertAgreement({ revision, exitCode, output }) {
  if (exitCode === 0) return
  throw new Error(`The suite ended with code ${exitCode} for ${revision}:\n${output.slice(-4000)}`)
}

try {
  await main()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
