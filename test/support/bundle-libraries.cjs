// Bundles libraries for Jest, which evaluates all modules again in each test file. One CommonJS file takes less time than 700
// modules of TypeBox, 250 of Fastify or 110 of the MCP client.
'use strict'

const { createHash } = require('node:crypto')
const { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } = require('node:fs')
const { createRequire } = require('node:module')
const path = require('node:path')
const { build } = require('esbuild')

const root = path.join(__dirname, '..', '..')
const cache = path.join(root, 'node_modules', '.cache', 'jest-libraries')

const typebox = ['compile', 'error', 'format', 'guard', 'schema', 'system', 'type', 'value']

/** Libraries, each of which becomes one file with these entries. `of` is the folder of a package that depends on it. */
const libraries = [
  { name: 'typebox', of: 'schema', entries: ['typebox', ...typebox.map((name) => `typebox/${name}`)] },
  { name: 'pino', of: 'core', entries: ['pino'] },
  { name: 'rate-limiter-flexible', of: 'core', entries: ['rate-limiter-flexible'] },
  { name: 'fastify', of: 'fastify', entries: ['fastify'] },
  { name: 'login', of: 'login', entries: ['oidc-provider', 'oauth4webapi'] },
  { name: 'client', of: 'client', entries: ['@modelcontextprotocol/client', '@modelcontextprotocol/client/stdio'] },
]

/**
 * Bundles the libraries, unless that was done for the installed versions.
 *
 * @returns {Promise<Record<string, string>>} The members of `moduleNameMapper`.
 */
async function bundleLibraries() {
  const state = [path.join(root, 'pnpm-lock.yaml'), __filename].map((file) => readFileSync(file))
  const folder = path.join(cache, createHash('sha256').update(Buffer.concat(state)).digest('hex').slice(0, 16))
  if (!existsSync(folder)) await bundleInto(folder)
  const entries = libraries.flatMap((library) => library.entries)
  return Object.fromEntries(entries.map((id) => [`^${id.replaceAll('.', '\\.')}$`, path.join(folder, fileOf(id))]))
}

/** Two runs at once may do this, so that the folder has to appear with all of its files. */
async function bundleInto(folder) {
  const unfinished = `${folder}-${process.pid}`
  mkdirSync(unfinished, { recursive: true })
  await Promise.all(
    libraries.map(async ({ name, of, entries }) => {
      const { resolve } = createRequire(path.join(root, 'packages', of, 'package.json'))
      const exported = entries.map((id) => exportOf(JSON.stringify(id), resolve(id)))
      await build({
        stdin: { contents: exported.join('\n'), resolveDir: root },
        // Fastify accepts a logger of the application, which is recognized by symbols of Pino.
        external: name === 'fastify' ? ['pino'] : [],
        bundle: true,
        format: 'cjs',
        platform: 'node',
        target: 'node20',
        outfile: path.join(unfinished, `all-of-${name}.cjs`),
      })
      for (const id of entries) {
        writeFileSync(path.join(unfinished, fileOf(id)), `module.exports = require('./all-of-${name}.cjs')['${id}']\n`)
      }
    }),
  )
  try {
    renameSync(unfinished, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
    rmSync(unfinished, { recursive: true })
  }
}

/** `require` keeps the value of a CommonJS module, which can be a function. */
function exportOf(name, file) {
  const id = JSON.stringify(file)
  return file.endsWith('.mjs')
    ? `export * as ${name} from ${id}`
    : `Object.defineProperty(exports, ${name}, { get: () => require(${id}) })`
}

function fileOf(id) {
  return `${id.replaceAll(/[@/]/g, '-')}.cjs`
}

module.exports = { bundleLibraries }
