import { join } from 'node:path'
import { templates } from './own-package.js'
import type { PackageManager } from './package-managers.js'

export const testRunners = ['node', 'vitest', 'jest'] as const
export type TestRunner = (typeof testRunners)[number]

export function isTestRunner(name: string): name is TestRunner {
  return (testRunners as readonly string[]).includes(name)
}

interface Runner {
  readonly tools: Readonly<Record<string, string>>
  readonly types: readonly string[]
  readonly files: string | null
  readonly importTest: string
  script(manager: PackageManager): string
  readonly purpose: string
  readonly does: string
  readonly title: string
}

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

export function rewriteTypes(text: string, runner: TestRunner): string {
  const types = ['node', ...runners[runner].types].map((name) => `"${name}"`)
  return text.replace('"types": ["node"]', `"types": [${types.join(', ')}]`)
}
