// Runs Jest with each of the newer versions of Node, one after the other: `npm run test:newer-node -- packages/fastify`.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { findNewerNodes } from './newer-node.mjs'

const jest = fileURLToPath(new URL('../../node_modules/jest/bin/jest.js', import.meta.url))
for (const node of findNewerNodes()) {
  spawnSync(node, ['-p', '`\\n== Tests with Node ${process.versions.node}`'], { stdio: 'inherit' })
  const { status } = spawnSync(node, [jest, ...process.argv.slice(2)], { stdio: 'inherit' })
  process.exitCode ||= status ?? 1
}
