// Bundles core as it is packed. Prints how a bundle, `node` or `module`, differs from the build, how a server in it responds, and
// the files that the entry for clients loads.
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { bundlePackage } from '../../scripts/bundle-packages.mjs'

const core = join(import.meta.dirname, '../../packages/core')
const { exports } = JSON.parse(readFileSync(join(core, 'package.json'), 'utf8'))
const entries = Object.values(exports).flatMap(({ default: file }) => file?.replace('./dist/', '') ?? [])
// This folder can resolve core's libraries.
const bundles = join(core, 'node_modules', `.packed-core-${process.pid}`)
const outdir = join(bundles, process.argv[2])
try {
  await bundlePackage('core', bundles)
  const differences = []
  for (const entry of entries) differences.push(...(await compare(entry)))
  console.log(JSON.stringify({ differences, answer: await initialize(), ofWire: filesOf('wire.js') }))
} finally {
  rmSync(bundles, { recursive: true, force: true })
}

/** Compares exports. Names of classes appear in messages, and a bundle may change them; names of functions do not. */
async function compare(entry) {
  const [built, bundled] = [await import(join(core, 'dist', entry)), await import(join(outdir, entry))]
  const names = new Set([...Object.keys(built), ...Object.keys(bundled)])
  return [...names].filter((name) => describe(built[name]) !== describe(bundled[name]))
}

function describe(value) {
  const isClass = typeof value === 'function' && String(value).startsWith('class')
  return isClass ? `class ${value.name}` : typeof value === 'function' ? `function of ${value.length}` : typeof value
}

/** Files that a file of the bundle loads, with itself. */
function filesOf(file) {
  const text = readFileSync(join(outdir, file), 'utf8')
  return [file, ...Array.from(text.matchAll(/from "\.\/([^"]+)"/g), ([, name]) => filesOf(name)).flat()]
}

/** One entry recognizes a server of another entry only if both share their modules. */
async function initialize() {
  const { createServer } = await import(join(outdir, 'index.js'))
  const { Connection, runningServer } = await import(join(outdir, 'transport.js'))
  const server = await createServer({ name: 'packed', version: '1.0.0', controllers: [] })
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
  const answer = await new Promise((resolve) => {
    const connection = new Connection(runningServer(server), resolve, null, { transport: 'stdio' })
    connection.receive({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
  })
  await server.close()
  return JSON.parse(String(answer))
}
