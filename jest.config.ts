/** @jest-config-loader esbuild-register */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import type { Config } from 'jest'
import { bundleLibraries } from './test/support/bundle-libraries.cjs'

// Jest on Node 20 can neither require() nor import() an ES module, so swc converts these first:
// packages without a CommonJS build, and the MCP client, whose CommonJS build import()s one of them.
const converted = [
  'confbox',
  'cookie',
  'jose',
  '@decimalturn/toml-patch',
  '@modelcontextprotocol/client',
  'arktype',
  'arkregex',
  '@ark/schema',
  '@ark/util',
]

function swc(parser: object): NonNullable<Config['transform']>[string] {
  const options = {
    swcrc: false,
    jsc: {
      target: 'es2022',
      parser,
      transform: { legacyDecorator: true, decoratorMetadata: true },
      keepClassNames: true,
    },
    module: { type: 'commonjs' },
    // Writes each map into a separate file, which is only read to show an error. Inline maps triple the size of a module.
    sourceMaps: true,
  }
  return ['@swc/jest', options]
}

// The page of the inspector is served from its bundle. Builds it if a source is newer.
for (const script of ['bundle-inspector.mjs', 'bundle-cli.mjs']) {
  execFileSync(process.execPath, [join(__dirname, 'scripts', script), '--if-stale'])
}

const folders = converted.join('|')
const pnpmFolders = folders.replaceAll('/', '\\+')

const config = async (): Promise<Config> => ({
  globalSetup: '<rootDir>/test/support/use-bundle.mjs',
  testEnvironment: '<rootDir>/test/support/frames/environment.cjs',
  setupFilesAfterEnv: ['<rootDir>/test/support/frames/setup.ts'],
  roots: ['<rootDir>/packages', '<rootDir>/samples', '<rootDir>/test'],
  testMatch: ['**/test/**/*.test.ts'],
  moduleNameMapper: {
    '^@toolwright/server/stdio$': '<rootDir>/packages/server/src/stdio/serve-stdio.ts',
    '^@toolwright/streams/client$': '<rootDir>/packages/streams/src/client/index.ts',
    '^@toolwright/([^/]+)/(extension|host|internal|options|program|providers|reports|store|transport|wire)$':
      '<rootDir>/packages/$1/src/$2.ts',
    '^@toolwright/client/transports$': '<rootDir>/packages/client/src/transports.ts',
    '^#platform$': '<rootDir>/packages/client/src/platform/node.ts',
    '^@toolwright/([^/]+)$': '<rootDir>/packages/$1/src/index.ts',
    '^toolwright/providers$': '<rootDir>/packages/toolwright/src/providers.ts',
    '^toolwright$': '<rootDir>/packages/toolwright/src/index.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
    ...(await bundleLibraries()),
  },
  transform: {
    '\\.ts$': swc({ syntax: 'typescript', decorators: true }),
    '\\.[cm]?js$': swc({ syntax: 'ecmascript' }),
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
  // Jest's default of 500 ms is too short on a busy machine, where an ended worker takes longer to free its heap.
  workerGracefulExitTimeout: 30_000,
  testSequencer: '<rootDir>/test/support/slowest-first.cjs',
  collectCoverageFrom: ['packages/*/src/**/*.ts'],
  coverageProvider: 'v8',
  reporters: ['default', '<rootDir>/scripts/jest-reporter.cjs'],
})

export default config
