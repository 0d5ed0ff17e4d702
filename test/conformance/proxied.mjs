// Runs the official conformance suite against a proxy in front of samples/everything: `node test/conformance/proxied.mjs`.
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { proxy } from '@toolwright/proxy'
import { createHost } from 'toolwright'
import { findNewerNodes } from '../newer-node/newer-node.mjs'
import { startServer } from './server.mjs'
import { runRequirements } from './suite.mjs'

const folder = await mkdtemp(join(tmpdir(), 'toolwright-proxied-'))
const upstream = await startServer(process.execPath, join(folder, 'server.log'))
const host = await createHost({
  name: 'front',
  version: '1.0.0',
  // The suite calls features by their names and URIs.
  // As the upstream does, for the scenarios about event streams.
  streamAnswers: true,
  sources: [proxy({ everything: { url: upstream.url, prefix: '', keepUris: true } })],
  fastify: { logger: { level: 'error' } },
})
try {
  const url = `${await host.listen({ host: '127.0.0.1', port: 0 })}/mcp`
  for (const revision of process.argv.length > 2 ? process.argv.slice(2) : ['2025-11-25', '2026-07-28']) {
    // oxlint-disable-next-line no-await-in-loop -- some scenarios measure time
    const { summary, scenarios } = await runRequirements({ node: findNewerNodes()[0], url, folder }, revision)
    console.log(`\n== ${revision}\n\n${summary}`)
    for (const [name, checks] of scenarios)
      for (const { id, status, errorMessage } of checks)
        if (status !== 'SUCCESS' && status !== 'INFO') console.log(`${status} ${name}: ${id}: ${errorMessage}`)
  }
} finally {
  await host.close()
  await upstream.stop()
}
