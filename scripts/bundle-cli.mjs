// Bundles @toolwright/cli into packages/cli/bundle. With --if-stale, only if needed.
// - Libraries, whose installation takes 107 MB, and whose used parts take 7 MB: recheck brings builds for Java and native code,
//   json-schema-to-typescript brings all languages of Prettier, and openapi-core brings its unbundled libraries.
// - The program with its small libraries. A command starts sooner, because the MCP client loads all languages of Zod.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { build } from 'esbuild'

const root = join(import.meta.dirname, '..')
const folder = join(root, 'packages', 'cli')
const output = join(folder, 'bundle')

/** Entries of the libraries, by the name of the written file. */
const libraries = {
  // The build for browsers checks in this thread. The main entry starts a second process.
  recheck: "module.exports = require('recheck/lib/browser.js')",
  'json-schema-to-typescript': "module.exports = require('json-schema-to-typescript')",
  'openapi-core': "export { BaseResolver, createConfig, getLineColLocation, lint } from '@redocly/openapi-core'",
}

/** Licenses that allow a bundle with their texts. */
const allowedLicenses = ['MIT', 'ISC', 'Apache-2.0', 'BSD-3-Clause']

/** Prettier with the only language that json-schema-to-typescript writes. */
const prettier = `
import { format as formatWith } from 'prettier/standalone'
import * as estree from 'prettier/plugins/estree'
import * as typescript from 'prettier/plugins/typescript'
export const format = (code, options) => formatWith(code, { ...options, plugins: [estree, typescript] })
`

const prettierForTypeScript = {
  name: 'prettier-for-typescript',
  setup(builder) {
    builder.onResolve({ filter: /^prettier$/ }, ({ resolveDir }) => ({ path: resolveDir, namespace: 'prettier' }))
    builder.onLoad({ filter: /./, namespace: 'prettier' }, ({ path }) => ({ contents: prettier, resolveDir: path }))
  },
}

/** Entries of the program, and of the process that watches it. */
const entries = ['dist/main.js', 'dist/dev/watchdog-main.js']

const always = !process.argv.includes('--if-stale')
const versions = [join(folder, 'package.json'), join(root, 'pnpm-lock.yaml'), import.meta.filename]
if (
  always ||
  isStale(
    Object.keys(libraries).map((name) => `${name}.cjs`),
    versions,
  )
)
  await bundleLibraries()
if (always || isStale(['main.js'], [...versions, ...modulesOf('cli'), ...modulesOf('client')])) await bundleProgram()

/** Whether a source is newer than the bundle. */
function isStale(names, sources) {
  const written = Math.min(...names.map((name) => modified(join(output, name))))
  return sources.some((file) => modified(file) > written)
}

/** Returns the compiled modules of a package. */
function modulesOf(name) {
  const dist = join(root, 'packages', name, 'dist')
  const files = existsSync(dist) ? readdirSync(dist, { recursive: true }) : []
  return files.filter((file) => file.endsWith('.js')).map((file) => join(dist, file))
}

function modified(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

async function bundleProgram() {
  const { dependencies } = readManifest(folder)
  const external = Object.keys(dependencies).flatMap((name) => [name, `${name}/*`])
  const { outputFiles, metafile } = await build({
    entryPoints: entries.map((entry) => join(folder, entry)),
    // The program finds its files from the folder of its modules.
    entryNames: '[name]',
    outdir: output,
    absWorkingDir: root,
    bundle: true,
    // For commands, which are imported on demand.
    splitting: true,
    external: [...external, '@anthropic-ai/mcpb'],
    // The main entry of jsonc-parser cannot be bundled.
    mainFields: ['module', 'main'],
    format: 'esm',
    platform: 'node',
    target: 'node20',
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'\nconst require = requireOf(import.meta.url)",
    },
    sourcemap: true,
    sourcesContent: false,
    legalComments: 'none',
    logLevel: 'error',
    metafile: true,
    write: false,
  })
  const stale = (existsSync(output) ? readdirSync(output) : []).filter((name) => /\.js(\.map)?$/.test(name))
  mkdirSync(output, { recursive: true })
  for (const { path, text } of outputFiles) write(relative(output, path), text)
  const written = new Set(outputFiles.map(({ path }) => relative(output, path)))
  for (const name of stale) if (!written.has(name)) rmSync(join(output, name), { force: true })
  write('THIRD-PARTY-NOTICES.main.txt', describeLicenses(Object.keys(metafile.inputs)))
}

async function bundleLibraries() {
  const outputs = await Promise.all(Object.entries(libraries).map(([name, entry]) => bundleLibrary(name, entry)))
  const inputs = outputs.flatMap(({ metafile }) => Object.keys(metafile.inputs))
  mkdirSync(output, { recursive: true })
  for (const { name, text } of outputs) write(`${name}.cjs`, text)
  write('THIRD-PARTY-NOTICES.txt', describeLicenses(inputs))
}

async function bundleLibrary(name, entry) {
  const { outputFiles, metafile } = await build({
    stdin: { contents: entry, resolveDir: folder },
    absWorkingDir: root,
    bundle: true,
    minify: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    legalComments: 'none',
    logLevel: 'error',
    metafile: true,
    write: false,
    plugins: [prettierForTypeScript],
  })
  return { name, metafile, text: outputFiles[0].text }
}

/** Writes a temporary file and renames it, because another build may write to the folder at the same time. */
function write(name, text) {
  const file = join(output, name)
  writeFileSync(`${file}.${process.pid}`, text)
  renameSync(`${file}.${process.pid}`, file)
}

/** Returns the licenses of all packages whose files are in the bundle. */
function describeLicenses(inputs) {
  const packages = new Set(inputs.filter((file) => file.startsWith('node_modules')).map(findPackage))
  return [...packages]
    .toSorted((one, other) => (one < other ? -1 : 1))
    .map(describeLicense)
    .join('\n')
}

/** Returns the folder of the package that contains a file. */
function findPackage(file) {
  let path = dirname(join(root, file))
  while (!existsSync(join(path, 'package.json')) || readManifest(path).name === undefined) path = dirname(path)
  return path
}

function describeLicense(path) {
  const { name, version, license } = readManifest(path)
  const files = readdirSync(path).filter((each) => /licen[cs]e|notices/i.test(each))
  const text = files.map((file) => `\n${readFileSync(join(path, file), 'utf8').trim()}\n`).join('')
  if (!allowedLicenses.includes(license))
    throw new Error(`${relative(root, path)} has the license ${license}: check that it can be bundled`)
  return `${name} ${version} (${license})\n${text}`
}

function readManifest(path) {
  return JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'))
}
