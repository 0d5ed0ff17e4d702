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

/** Every test file would load TypeBox's 700 modules again; as one CommonJS file it costs next to nothing. */
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

/** Two runs at once share the folder, so a file appears there complete or not at all. */
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
  // pnpm keeps a package at node_modules/.pnpm/NAME@VERSION/node_modules/NAME: both levels have to let it through.
  transformIgnorePatterns: [
    `/node_modules/(?!\\.pnpm/|(?:${folders})/)`,
    `/node_modules/\\.pnpm/(?!(?:${pnpmFolders})@)`,
  ],
  // For a test that hangs. Jest's own five seconds go by in one that starts a program, or waits for a core of a busy machine.
  testTimeout: 120_000,
  // All cores: for much of its time a test waits for a program that it has started.
  maxWorkers: '100%',
  // What tests leave open stays in the heap, and takes ever longer to be looked at. A new process has nothing of it.
  workerIdleMemoryLimit: '700MB',
  collectCoverageFrom: ['packages/*/src/**/*.ts'],
  coverageProvider: 'v8',
  reporters: ['default', '<rootDir>/scripts/jest-reporter.cjs'],
}

export default config
