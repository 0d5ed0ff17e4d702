// Runs Jest with Node 24, whatever Node this is: `npm run test:newer-node -- packages/fastify`.
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { findNewerNode } from './newer-node.mjs'

const jest = createRequire(import.meta.url).resolve('jest/bin/jest.js')
const { status } = spawnSync(findNewerNode(), [jest, ...process.argv.slice(2)], { stdio: 'inherit' })
process.exitCode = status ?? 1
