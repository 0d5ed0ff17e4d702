import { join } from 'node:path'
import { templates } from './own-package.js'
import type { PackageManager } from './package-managers.js'

export const testRunners = ['node', 'vitest', 'jest'] as const
export type TestRunner = (typeof testRunners)[number]

export function isTestRunner(name: string): name is TestRunner {
  return (testRunners as readonly string[]).includes(name)
}

interface Runner {
  /** Packages that the runner needs. */
  readonly tools: Readonly<Record<string, string>>
  /** Packages whose global types the tests use. */
  readonly types: readonly string[]
  /** Folder of files for the root of the project. */
  readonly files: string | null
  /** Line that replaces the import of `test` from `node:test`. */
  readonly importTest: string
  /** The script `test`. */
  script(manager: PackageManager): string
  /** Purpose of the script, in the imperative, for the next steps. */
  readonly purpose: string
  /** The purpose for the README's table, whose column is called `Does`. */
  readonly does: string
  /** Name of the runner in texts. */
  readonly title: string
}

/** Parts of a project that differ between test runners. */
export const runners: Readonly<Record<TestRunner, Runner>> = {
  node: {
    tools: {},
    types: [],
    files: null,
    importTest: "import { test } from 'node:test'\n",
    script: (manager) => `${manager} run build && cd dist && node --test`,
    purpose: 'compile the project, and run its tests',
    does: 'compiles the project, and runs its tests',
    title: '`node:test`',
  },
  vitest: {
    // Vitest 5 needs Node 22.12.
    tools: { vitest: '^4.1.9' },
    types: [],
    files: null,
    importTest: "import { test } from 'vitest'\n",
    // `dist/` has compiled copies of the tests.
    script: () => 'vitest run --dir src',
    purpose: 'run the tests',
    does: 'runs the tests, without checking types',
    title: 'Vitest',
  },
  jest: {
    tools: { '@swc/core': '^1.16.22', '@swc/jest': '^0.2.39', '@types/jest': '^30.0.0', jest: '^30.5.2' },
    types: ['jest'],
    files: join(templates, 'jest'),
    importTest: '',
    script: () => 'jest',
    purpose: 'run the tests',
    does: 'runs the tests, without checking types',
    title: 'Jest',
  },
}

/** Rewrites a test for `node:test`, whose only import from it is `test`. Assertions are those of Node in all runners. */
export function rewriteTest(text: string, runner: TestRunner): string {
  return text.replace("import { test } from 'node:test'\n", runners[runner].importTest)
}

/** Adds the types of the runner to a `tsconfig.json`. */
export function rewriteTypes(text: string, runner: TestRunner): string {
  const types = ['node', ...runners[runner].types].map((name) => `"${name}"`)
  return text.replace('"types": ["node"]', `"types": [${types.join(', ')}]`)
}
