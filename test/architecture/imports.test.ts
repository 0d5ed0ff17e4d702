import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packagesInstalledWith } from '../../scripts/installed-packages.mjs'
import { readSourceFiles, root, type SourceFile } from './source-files.js'

const files = readSourceFiles()
const core = files.filter((file) => file.package === 'core')

/** Core's folders and the files beside them, top to bottom: each may import from its own line and the lines below. */
const order = [
  ['extension.ts', 'host.ts', 'index.ts', 'options.ts', 'reports.ts', 'store.ts', 'transport.ts', 'wire.ts'],
  ['transports'],
  ['server'],
  ['protocol'],
  ['plan'],
  ['call'],
  ['catalog'],
  ['decorators'],
  ['metadata'],
  ['authorization', 'hooks'],
  ['limits'],
  ['container', 'context'],
  ['client-requests'],
  ['content.ts', 'metrics', 'model.ts'],
  ['rpc'],
  ['bus.ts', 'options'],
  ['errors'],
  ['timing'],
  ['util'],
  ['copies'],
]

function layerOf(path: string): number {
  const [first = ''] = path.replace('packages/core/src/', '').split('/')
  return order.findIndex((names) => names.includes(first))
}

test('the parser finds imports', () => {
  const server = files.find(({ path }) => path === 'packages/core/src/server/create-server.ts')
  expect(server?.imports).toContainEqual({
    specifier: './mcp-server-instance.js',
    file: 'packages/core/src/server/mcp-server-instance.ts',
    isType: false,
  })
})

test('the order of imports lists every folder of core', () => {
  const strangers = core.filter(({ path }) => layerOf(path) === -1)
  expect(
    strangers.map(({ path }) => `${path}: its folder is not in the order. Add it in test/architecture/imports.test.ts`),
  ).toEqual([])
})

test('core imports only from lower folders, also with type imports', () => {
  const upwards = core.flatMap(({ path, imports }) =>
    imports
      .filter(({ file }) => file !== null && layerOf(file) < layerOf(path))
      .map(
        ({ file }) =>
          `${path} imports ${file}, which is above it. ` +
          `Move what it needs into ${describeLayer(path)} or below, or pass it in as an argument`,
      ),
  )
  expect(upwards).toEqual([])
})

test('folders that share a line of the order do not import each other', () => {
  const sideways = core.flatMap(({ path, imports }) =>
    imports
      .filter(({ file }) => file !== null && layerOf(file) === layerOf(path) && folderOf(file) !== folderOf(path))
      .map(({ file }) => `${path} imports ${file}, which is on the same line. Put one of the two above the other`),
  )
  expect(sideways).toEqual([])
})

test('no package has a cycle of value imports', () => {
  expect(findCycles(files).map((cycle) => `${cycle.join(' -> ')}: move the shared code to a separate file`)).toEqual([])
})

test('nothing within a package imports its index', () => {
  const offenders = files.flatMap(({ path, imports }) =>
    imports
      .filter(({ file }) => file?.endsWith('/index.ts') === true)
      .map(({ file }) => `${path} imports ${file}. Import the file that declares the symbol`),
  )
  expect(offenders).toEqual([])
})

test('core imports no HTTP framework', () => {
  const http = /^(fastify|fastify-plugin|@fastify\/.*|light-my-request|node:https?|node:http2)$/
  expect(importersOf(http, core).map((line) => `${line}. Move the code to packages/fastify`)).toEqual([])
})

test('no package that is installed with toolwright imports streams', () => {
  const names = packagesInstalledWith('toolwright')
  const installed = files.filter((file) => names.includes(file.package))
  expect(importersOf(/^@toolwright\/streams/, installed)).toEqual([])
})

test('the client of streams imports only code of both sides', () => {
  const client = files.filter(({ path }) => path.startsWith('packages/streams/src/client/'))
  const others = client.flatMap(({ path, imports }) =>
    imports
      .filter(({ file }) => !isOfClient(file))
      .map(({ specifier }) => `${path} imports ${specifier}, which bundles for browsers would contain`),
  )
  expect(others).toEqual([])
})

test.each([
  ['tsyringe', /^tsyringe$/, 'packages/core/src/container/tsyringe.ts'],
  ['typebox', /^typebox/, 'packages/schema/src/typebox.ts'],
])('%s is imported in one file only', (_name, pattern, only) => {
  const importers = importersOf(pattern, files).filter((line) => !line.startsWith(`${only} `))
  expect(importers.map((line) => `${line}. Import it from ${only}, which re-exports it`)).toEqual([])
  expect(importersOf(pattern, files)).not.toEqual([])
})

test('the polyfill of Reflect is imported only together with tsyringe', () => {
  const importers = importersOf(/^reflect-metadata/, files).filter(
    (line) => !line.startsWith('packages/core/src/container/'),
  )
  expect(importers).toEqual([])
})

test('a package imports only dependencies of its package.json, and Node by its node: names', () => {
  const undeclared = files.flatMap((file) =>
    file.imports
      .filter(({ specifier, file: resolved }) => resolved === null && !isDeclared(specifier, file.package))
      .map(({ specifier }) => `${file.path} imports ${specifier}. Add it to packages/${file.package}/package.json`),
  )
  expect(undeclared).toEqual([])
})

test('fastify imports from core only the modules for transports and hosts', () => {
  const importers = importersOf(/^@toolwright\/core\/(?!(?:host|options|transport)$)/, files).filter((line) =>
    line.startsWith('packages/fastify/'),
  )
  expect(importers.map((line) => `${line}. Export it from packages/core/src/host.ts, or do without`)).toEqual([])
})

test('core, fastify, auth and toolwright import no optional package', () => {
  const optional = /^@toolwright\/(client|gateway|proxy|streams)(\/|$)/
  const names = packagesInstalledWith('toolwright')
  const below = files.filter((file) => names.includes(file.package))
  expect(importersOf(optional, below).map((line) => `${line}. Use a public seam, such as an Extension`)).toEqual([])
  expect(
    importersOf(
      /^@toolwright\/core/,
      files.filter((file) => file.package === 'gateway'),
    ),
  ).not.toEqual([])
})

test('the client imports only the wire code of servers', () => {
  const client = files.filter(({ package: name }) => name === 'client')
  const values = client.flatMap(({ path, imports }) =>
    imports
      .filter(
        ({ specifier, isType }) => !isType && /^@toolwright\/(?!core\/wire$|streams\/(?:client|wire)$)/.test(specifier),
      )
      .map(({ specifier }) => `${path} imports ${specifier}`),
  )
  // Loaded only to connect to a server in the same process.
  expect(values).toEqual(['packages/client/src/platform/in-memory-transport.ts imports @toolwright/core'])
})

test('core has no entry with internals', () => {
  expect(importersOf(/^@toolwright\/core\/internal/, files)).toEqual([])
})

function isOfClient(file: string | null): boolean {
  return file !== null && /^packages\/streams\/src\/(?:client|flow|wire)\//.test(file)
}

function importersOf(pattern: RegExp, among: readonly SourceFile[]): string[] {
  return among.flatMap(({ path, imports }) =>
    imports.filter(({ specifier }) => pattern.test(specifier)).map(({ specifier }) => `${path} imports ${specifier}`),
  )
}

function isDeclared(specifier: string, packageName: string): boolean {
  // Names that begin with # are files of the package itself.
  if (specifier.startsWith('node:') || specifier.startsWith('#')) return true
  const manifest = JSON.parse(readFileSync(join(root, 'packages', packageName, 'package.json'), 'utf8')) as {
    dependencies?: Record<string, string>
    devDependencies?: Record<string, string>
    peerDependencies?: Record<string, string>
  }
  const [scope = '', name = ''] = specifier.split('/')
  const dependency = specifier.startsWith('@') ? `${scope}/${name}` : scope
  // The program of the package cli is packed as a bundle, with the libraries that only development installs.
  const bundled = packageName === 'cli' ? manifest.devDependencies : {}
  return dependency in { ...manifest.dependencies, ...manifest.peerDependencies, ...bundled }
}

function folderOf(path: string): string {
  return path.replace('packages/core/src/', '').split('/')[0] ?? ''
}

function describeLayer(path: string): string {
  return (order[layerOf(path)] ?? []).join(', ')
}

/** Each cycle once, beginning with the file at which the search found it. */
function findCycles(all: readonly SourceFile[]): string[][] {
  const byPath = new Map(all.map((file) => [file.path, file]))
  const done = new Set<string>()
  const cycles: string[][] = []
  const walk = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path])
    if (trail.includes(path) || done.has(path)) return
    for (const { file, isType } of byPath.get(path)?.imports ?? []) {
      if (file !== null && !isType) walk(file, [...trail, path])
    }
    done.add(path)
  }
  for (const { path } of all) walk(path, [])
  return cycles
}
