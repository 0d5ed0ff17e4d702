// Bundles the packages that every server loads, when they are packed: `node scripts/bundle-packages.mjs core`. With `--if-stale`,
// bundles all packages whose build is newer than their bundle. Node loads a few files in a fraction of the time of 1,000 modules,
// 700 of which are TypeBox's. With `publishConfig`, the packed packages export these files. Types, and the code that tests and
// clones run, stay in dist/. Only TypeBox is bundled: users get patches of all other libraries without a release of Toolwright.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, transform } from 'esbuild'
import { packagesInstalledWith } from './installed-packages.mjs'

const packages = join(dirname(fileURLToPath(import.meta.url)), '..', 'packages')

/** Bundles the packages whose build is newer than their bundle. @returns Whether all packages were built. */
export async function bundleStale() {
  for (const name of packagesInstalledWith('toolwright')) {
    const built = modified(join(packages, name, 'dist'))
    if (built === null) return false
    if (built > (modified(join(packages, name, 'bundle')) ?? 0)) await bundlePackage(name)
  }
  return true
}

/** @returns Time of the newest module in a folder; `null` without modules. */
function modified(folder) {
  if (!existsSync(folder)) return null
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(({ name }) => name.endsWith('.js'))
  const times = files.map(({ parentPath, name }) => statSync(join(parentPath, name)).mtimeMs)
  return times.length === 0 ? null : Math.max(...times)
}

/**
 * Writes two bundles: `node/` loads CommonJS libraries when they are first used, `module/` imports them, so that bundlers of
 * applications find them. Bundlers set the condition `module` of package exports, which selects `module/`; Node does not set it.
 *
 * @param {string} name Name of the package's folder.
 * @param {string} outdir Folder inside the package, where its libraries are found.
 */
export async function bundlePackage(name, outdir = join(packages, name, 'bundle')) {
  const folder = join(packages, name)
  rmSync(outdir, { recursive: true, force: true })
  await Promise.all([
    bundle(folder, join(outdir, 'node'), { plugins: [loadWhenUsed(folder)], banner: defineRequire }),
    bundle(folder, join(outdir, 'module'), { plugins: [], banner: '' }),
  ])
}

/** Entries that need little of their package. Packages without a server, such as the client, load them without the rest. */
const smallEntries = ['./dist/wire.js']

async function bundle(folder, outdir, { plugins, banner }) {
  const { exports, dependencies } = readManifest(folder)
  const entries = Object.values(exports).flatMap(({ default: file }) => (file === undefined ? [] : [file]))
  const small = entries.filter((file) => smallEntries.includes(file))
  const files = entries.filter((file) => !small.includes(file))
  const names = await Promise.all(files.map((file) => exportsOf(join(folder, file))))
  const isOneEntry = files.length === 1
  // One file has the code of all entries: with a file for each set of entries that share code, Node would have to find and link
  // three times as many.
  const contents = files
    .map((file, index) =>
      reexport(names[index], file, (name) => (isOneEntry ? name : `${name} as ${aliasOf(name, index)}`)),
    )
    .join('')
  const { outputFiles } = await build({
    entryPoints: [
      // The bundle of a package with one entry is this entry: Node then loads one file less.
      { in: 'all-entries', out: isOneEntry ? basename(files[0], '.js') : 'all' },
      ...small.map((file) => ({ in: join(folder, file), out: basename(file, '.js') })),
    ],
    outdir,
    bundle: true,
    // For modules that are imported on demand.
    splitting: true,
    external: Object.keys(dependencies).filter((library) => library !== 'typebox'),
    plugins: [entryWith(contents, folder), ...plugins],
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: 'inline',
    sourcesContent: false,
    minifyWhitespace: true,
    banner: { js: `${'typebox' in dependencies ? readLicense(folder) : ''}${banner}` },
    write: false,
  })
  await Promise.all(outputFiles.map(writeWithoutComments))
  for (const [index, file] of isOneEntry ? [] : files.entries()) {
    const entry = file.replace('./dist/', '')
    const all = `${'../'.repeat(entry.split('/').length - 1) || './'}all.js`
    write(
      join(outdir, entry),
      reexport(names[index], all, (name) => `${aliasOf(name, index)} as ${name}`),
    )
  }
}

function entryWith(contents, resolveDir) {
  return {
    name: 'all-entries',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^all-entries$/ }, ({ path }) => ({ path, namespace: 'all-entries' }))
      onLoad({ filter: /./, namespace: 'all-entries' }, () => ({ contents, resolveDir }))
    },
  }
}

async function exportsOf(file) {
  return Object.keys(await import(pathToFileURL(file).href))
}

/** Name of an export in the file that all entries share: two entries can use the same name for different things. */
function aliasOf(name, index) {
  return `${name}_${index}`
}

function reexport(names, from, rename) {
  return `export { ${names.map(rename).join(', ')} } from '${from}'\n`
}

/**
 * Node reads a file without comments sooner. esbuild only removes comments together with white space, so its output is printed
 * again: a stack trace needs lines.
 */
async function writeWithoutComments({ path, text }) {
  const file = basename(path)
  const { code, map } = await transform(text, { sourcefile: file, sourcemap: 'external', sourcesContent: false })
  write(path, `${withNamesOfClasses(code)}//# sourceMappingURL=${file}.map\n`)
  write(`${path}.map`, map)
}

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

const defineRequire =
  "import { createRequire as requireOf } from 'node:module'\nconst require = requireOf(import.meta.url)"

/** Modules of Node that take milliseconds to load. A server over stdio needs none of them. */
const slowModules = ['node:crypto', 'node:http', 'node:http2', 'node:tls']

/** Fastify reads the symbols and the length of these functions. */
const fastifyPlugins = ['@fastify/websocket', 'fastify-plugin']

/**
 * Loads CommonJS libraries with `require`, when one of their exports is first used. An `import` would load them at start, and
 * analyze each file before that, which takes as long again.
 */
function loadWhenUsed(folder) {
  const { dependencies } = readManifest(folder)
  const libraries = Object.keys(dependencies).filter(
    (name) => readManifest(join(folder, 'node_modules', name)).type !== 'module',
  )
  const requireOfPackage = createRequire(join(folder, 'package.json'))
  return {
    name: 'load-when-used',
    setup({ onResolve, onLoad }) {
      const lazy = [...libraries, ...slowModules].join('|')
      onResolve({ filter: new RegExp(`^(?:${lazy})(?:/|$)`) }, ({ path, kind }) =>
        kind === 'import-statement' ? { path, namespace: 'load-when-used' } : null,
      )
      onLoad({ filter: /./, namespace: 'load-when-used' }, ({ path }) => {
        // tsyringe fails to load without this polyfill.
        if (path === 'tsyringe') requireOfPackage('reflect-metadata')
        const library = requireOfPackage(path)
        const names = Object.keys(library).filter((name) => name !== '__esModule')
        // A library without exports changes globals, so it is loaded at once.
        if (names.length === 0) return { contents: `require('${path}')` }
        if (fastifyPlugins.includes(path)) return { contents: `module.exports = require('${path}')` }
        const getters = names.map((name) => `${name}: { enumerable: true, get: () => load().${name} }`)
        const exported = typeof library === 'function' ? '(...args) => load()(...args)' : '{}'
        return {
          contents:
            `let library\nconst load = () => (library ??= require('${path}'))\n` +
            `module.exports = Object.defineProperties(${exported}, { ${getters.join(', ')} })`,
        }
      })
    },
  }
}

function readManifest(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}

function readLicense(folder) {
  return `/*! With TypeBox:\n${readFileSync(join(folder, 'node_modules', 'typebox', 'license'), 'utf8').trim()}\n*/\n`
}

/**
 * Restores the names of classes. A class that refers to itself becomes `var Exchange = class _Exchange`, and messages would
 * show that name.
 */
function withNamesOfClasses(code) {
  const classes = [...code.matchAll(/^var (\w+) = class _\1\b/gm)].map(([, name]) => name)
  return classes.reduce((text, name) => text.replaceAll(new RegExp(`\\b_${name}\\b`, 'g'), name), code)
}

/** Rejects npm, which does not apply `publishConfig`: `exports` would name modules of dist/ that are not packed. */
function requirePnpm() {
  if (process.env.npm_config_user_agent?.startsWith('npm/') !== true) return
  console.error('npm would pack a package that cannot be imported. Pack and publish with pnpm: `npx pnpm@10 pack`.')
  process.exit(1)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const names = process.argv.slice(2)
  if (names[0] === '--if-stale') await bundleStale()
  else {
    requirePnpm()
    for (const name of names) await bundlePackage(name)
  }
}
