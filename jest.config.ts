/** @jest-config-loader esbuild-register */
import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { buildSync } from 'esbuild'
import type { Config } from 'jest'

// Jest on Node 20 can neither require() nor import() an ES module, so swc converts these first:
// packages without a CommonJS build, and the MCP client, whose CommonJS build import()s one of them.
const converted = ['confbox', 'cookie', 'jose', '@decimalturn/toml-patch', '@modelcontextprotocol/client']

const typeboxEntries = ['compile', 'error', 'format', 'guard', 'schema', 'system', 'type', 'value']

/** Bundles TypeBox into one CommonJS file: otherwise, every test file would load its 700 modules. */
function bundleTypeBox(): string {
  const folder = join(__dirname, 'node_modules', '.cache', 'jest-typebox')
  const sources = [['index', 'typebox'], ...typeboxEntries.map((name) => [name, `typebox/${name}`])]
  const { outputFiles } = buildSync({
    stdin: {
      contents: sources.map(([name, id]) => `export * as ${name} from '${id}'`).join('\n'),
      resolveDir: join(__dirname, 'packages', 'core'),
    },
    bundle: true,
    format: 'cjs',
    platform: 'node',
    write: false,
  })
  writeWhole(join(folder, 'all.cjs'), outputFiles[0]?.text ?? '')
  for (const [name] of sources) {
    writeWhole(join(folder, `${name}.cjs`), `module.exports = require('./all.cjs').${name}\n`)
  }
  return folder
}

/** Writes a file and then renames it, because another run of Jest may read the folder at the same time. */
function writeWhole(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(`${file}.${process.pid}`, text)
  renameSync(`${file}.${process.pid}`, file)
}

function swc(parser: object, sourceMaps: 'inline' | false): NonNullable<Config['transform']>[string] {
  const options = {
    swcrc: false,
    jsc: {
      target: 'es2022',
      parser,
      transform: { legacyDecorator: true, decoratorMetadata: true },
      keepClassNames: true,
    },
    module: { type: 'commonjs' },
    sourceMaps,
  }
  return ['@swc/jest', options]
}

// The page of the inspector is served from its bundle. Builds it if a source is newer.
execFileSync(process.execPath, [join(__dirname, 'scripts', 'bundle-inspector.mjs'), '--if-stale'])

const typebox = bundleTypeBox()
const folders = converted.join('|')
const pnpmFolders = folders.replaceAll('/', '\\+')

const config: Config = {
  globalSetup: '<rootDir>/test/support/use-bundle.mjs',
  testEnvironment: '<rootDir>/test/support/frames/environment.cjs',
  setupFilesAfterEnv: ['<rootDir>/test/support/frames/setup.ts'],
  roots: ['<rootDir>/packages', '<rootDir>/samples', '<rootDir>/test'],
  testMatch: ['**/test/**/*.test.ts'],
  moduleNameMapper: {
    '^@toolwright/core/stdio$': '<rootDir>/packages/core/src/transports/stdio.ts',
    '^@toolwright/streams/client$': '<rootDir>/packages/streams/src/client/index.ts',
    '^@toolwright/([^/]+)/(internal|options|store|transport|wire)$': '<rootDir>/packages/$1/src/$2.ts',
    '^@toolwright/client/transports$': '<rootDir>/packages/client/src/transports.ts',
    '^#platform$': '<rootDir>/packages/client/src/platform/node.ts',
    '^@toolwright/([^/]+)$': '<rootDir>/packages/$1/src/index.ts',
    '^toolwright$': '<rootDir>/packages/toolwright/src/index.ts',
    '^typebox$': join(typebox, 'index.cjs'),
    '^typebox/(\\w+)$': join(typebox, '$1.cjs'),
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  transform: {
    '\\.ts$': swc({ syntax: 'typescript', decorators: true }, 'inline'),
    '\\.[cm]?js$': swc({ syntax: 'ecmascript' }, false),
  },
  // pnpm stores a package at node_modules/.pnpm/NAME@VERSION/node_modules/NAME: one pattern for each level.
  transformIgnorePatterns: [
    `/node_modules/(?!\\.pnpm/|(?:${folders})/)`,
    `/node_modules/\\.pnpm/(?!(?:${pnpmFolders})@)`,
  ],
  // Only a test that hangs takes so long. Jest's default of 5 s is too short for tests that start programs on a busy machine.
  testTimeout: 120_000,
  // Uses all cores, because many tests only wait for programs that they have started.
  maxWorkers: '100%',
  // Replaces a worker process whose heap is larger: objects that tests leave behind slow down each garbage collection.
  workerIdleMemoryLimit: '700MB',
  collectCoverageFrom: ['packages/*/src/**/*.ts'],
  coverageProvider: 'v8',
  reporters: ['default', '<rootDir>/scripts/jest-reporter.cjs'],
}

export default config
