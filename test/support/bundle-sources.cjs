// Bundles the sources of each package for Jest, which evaluates all modules again in each test file: one CommonJS file takes less
// time than 300 modules.
'use strict'

const { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs')
const path = require('node:path')
const { build } = require('esbuild')

const packages = path.join(__dirname, '..', '..', 'packages')

/** Packages whose tests run in the process of Jest. Scripts bundle programs and pages. */
const bundled = [
  'auth',
  'client',
  'core',
  'fastify',
  'gateway',
  'login',
  'openapi',
  'opentelemetry',
  'prometheus',
  'proxy',
  'redis',
  'server',
  'streams',
  'testing',
  'toolwright',
]

/**
 * Modules that no package exports, and that a test uses together with the exports of the package. A test that imports another
 * module loads a second copy of it.
 */
const shared = {
  core: [
    './src/catalog/authorization/authorization-resolver.ts',
    './src/catalog/build-catalog.ts',
    './src/catalog/injection/check-dependencies.ts',
    './src/container/app-container.ts',
    './src/errors/diagnostics.ts',
    './src/hooks/rejection-observers.ts',
    './src/plan/bind-hooks.ts',
    './src/plan/plans.ts',
    './src/protocol/call-client.ts',
    './src/server/metrics.ts',
  ],
  login: ['./src/check-options.ts', './src/create-login.ts'],
}

/** With these flags, Jest has to know which sources a test loads. */
const needsSources = process.argv.some((flag) =>
  /^--(?:watch|coverage|changed|onlyChanged|findRelated)|^-o$/.test(flag),
)

/** @returns {Promise<Record<string, string>>} The members of `moduleNameMapper`. */
async function bundleSources() {
  const mapped = await Promise.all(bundled.map(mapPackage))
  return Object.fromEntries(mapped.flat())
}

async function mapPackage(name) {
  const folder = path.join(packages, name)
  const manifest = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
  const exported = Object.entries(manifest.exports)
    .filter(([, { default: file }]) => file !== undefined)
    .map(([id, { default: file }]) => [`^${path.posix.join(manifest.name, id)}$`, sourceOf(file)])
  const imports = Object.entries(manifest.imports ?? {}).map(([id, { default: file }]) => [id, sourceOf(file)])
  const imported = imports.map(([id, file]) => [`^${id}$`, file])
  const others = (shared[name] ?? []).map((file) => [file.replace('.', `/${name}`).replace(/ts$/, 'js$'), file])
  const modules = [...exported, ...imported, ...others]
  if (!needsSources) await bundle(folder, modules, imports)
  const fileOf = (file) => path.join(folder, needsSources ? file : entryOf(file))
  return modules.map(([request, file]) => [request.replaceAll('.', '\\.'), fileOf(file)])
}

async function bundle(folder, modules, imports) {
  const files = modules.map(([, file]) => file)
  const { outputFiles } = await build({
    stdin: { contents: files.map((file) => `export * as '${file}' from '${file}'`).join('\n'), resolveDir: folder },
    alias: Object.fromEntries(imports.map(([id, file]) => [id, path.join(folder, file)])),
    packages: 'external',
    plugins: [withoutCopies],
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    // Jest on Node 20 cannot import() from here.
    supported: { 'dynamic-import': false },
    keepNames: true,
    sourcemap: 'inline',
    sourcesContent: false,
    outfile: path.join(folder, entryOf('all')),
    write: false,
  })
  for (const output of outputFiles) write(output.path, output.text)
  for (const file of files)
    write(path.join(folder, entryOf(file)), `module.exports = require('./all.cjs')['${file}']\n`)
}

function sourceOf(file) {
  return file.replace('./dist/', './src/').replace(/\.js$/, '.ts')
}

/** Inside the package, so that its libraries are found. */
function entryOf(file) {
  return path.join('node_modules', '.cache', 'jest', `${file.replace('./src/', '').replaceAll(/[./]/g, '-')}.cjs`)
}

/** Boot tells in which files `copies/` is loaded. */
const withoutCopies = {
  name: 'without-copies',
  setup({ onResolve }) {
    onResolve({ filter: /^\./ }, ({ path: id, resolveDir }) => {
      const file = path.join(resolveDir, id.replace(/\.js$/, '.ts'))
      return path.basename(path.dirname(file)) === 'copies' ? { path: file, external: true } : null
    })
  },
}

/** Another run can do the same at the same time. */
function write(file, text) {
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return
  mkdirSync(path.dirname(file), { recursive: true })
  const unfinished = `${file}.${process.pid}`
  writeFileSync(unfinished, text)
  renameSync(unfinished, file)
}

module.exports = { bundleSources }
