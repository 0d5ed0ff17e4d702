// Runs the official conformance suite against a proxy in front of samples/everything: `node test/conformance/proxied.mjs`.
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { proxy } from '@toolwright/proxy'
import { createHost } from 'toolwright'
import { findNewerNodes } from '../newer-node/newer-node.mjs'
import { startServer } from './server.mjs'
import { runRequirements } from './suite.mjs'

/** The numbers are fixed, so that a missing check is noticed. docs/reference/proxy.md explains what a proxy does not pass. */
const fullMarks = {
  '2025-11-25': 'Total: 83 passed, 0 failed',
  '2026-07-28': 'Total: 194 passed, 0 failed',
}

const expected = new Set([
  'sep-2575-server-sends-prompts-list-changed-on-subscription',
  'sep-2575-server-sends-tools-list-changed-on-subscription',
  // The suite has no code for this scenario.
  'tasks-status-notifications',
])

const folder = await mkdtemp(join(tmpdir(), 'toolwright-proxied-'))
const upstream = await startServer(process.execPath, join(folder, 'server.log'))
const host = await createHost({
  name: 'front',
  version: '1.0.0',
  // As the upstream does, for the scenarios about event streams.
  streamAnswers: true,
  // The suite calls features by their names and URIs.
  sources: [proxy({ everything: { url: upstream.url, prefix: '', keepUris: true } })],
  fastify: { logger: { level: 'error' } },
})
try {
  const url = `${await host.listen({ host: '127.0.0.1', port: 0 })}/mcp`
  const node = findNewerNodes()[0]
  for (const [revision, fullMark] of Object.entries(fullMarks)) {
    // oxlint-disable-next-line no-await-in-loop -- some scenarios measure time
    const { summary, scenarios, total } = await runRequirements({ node, url, folder }, revision)
    console.log(`\n== A proxy, ${revision}\n\n${summary}`)
    const unmet = [...scenarios].flatMap(([name, checks]) => findUnmet(name, checks))
    if (total !== fullMark) unmet.push(`The suite's total is '${total}', not '${fullMark}'`)
    for (const line of unmet) console.log(line)
    if (unmet.length > 0) process.exitCode = 1
  }
} finally {
  await host.close()
  await upstream.stop()
}

function findUnmet(scenario, checks) {
  return checks
    .filter(({ id, status }) => status !== 'SUCCESS' && status !== 'INFO' && !expected.has(id))
    .map(({ id, status, errorMessage }) => `${status} ${scenario}:${id}: ${errorMessage}`)
}
