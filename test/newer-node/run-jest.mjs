// Runs Jest with Node 24, whatever Node this is: `npm run test:newer-node -- packages/fastify`.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { findNewerNode } from './newer-node.mjs'

const jest = fileURLToPath(new URL('../../node_modules/jest/bin/jest.js', import.meta.url))
const { status } = spawnSync(findNewerNode(), [jest, ...process.argv.slice(2)], { stdio: 'inherit' })
process.exitCode = status ?? 1
