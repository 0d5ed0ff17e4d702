import { basename } from 'node:path'
import { CommandError } from './command-error.js'
import { version } from './own-package.js'
import type { PackageManager } from './package-managers.js'
import { type Tarballs, vendorFolder } from './tarballs.js'
import { runners, type TestRunner } from './test-runners.js'

type Dependencies = Readonly<Record<string, string>>

export interface Manifest {
  readonly engines?: Dependencies
  readonly dependencies?: Dependencies
  readonly devDependencies?: Dependencies
}

export interface ManifestOptions {
  readonly name: string
  readonly packageManager: PackageManager
  readonly testRunner: TestRunner
  readonly tarballs: Tarballs | null
}

function nodeMajor(range: string): number {
  const required = /^>=(\d+)/.exec(range)?.[1] ?? 0
  return Math.max(Number.parseInt(process.versions.node, 10), Number(required))
}

export function createManifest(source: Manifest, tools: Dependencies, options: ManifestOptions) {
  const { name, packageManager, testRunner, tarballs } = options
  const runner = runners[testRunner]
  const isOurs = (dependency: string): boolean => /^(create-)?toolwright$|^@toolwright\//.test(dependency)
  const engines = { node: source.engines?.['node'] ?? '>=20.19' }
  const pin = (dependencies: Dependencies): Dependencies =>
    Object.fromEntries(
      Object.entries(dependencies)
        .map(([dependency, range]) => [dependency, isOurs(dependency) ? rangeOf(dependency, tarballs) : range] as const)
        .toSorted(([one], [other]) => (one < other ? -1 : 1)),
    )
  const dependencies = pin(source.dependencies ?? {})
  const devDependencies = pin({
    ...tools,
    ...runner.tools,
    ...source.devDependencies,
    '@types/node': `^${nodeMajor(engines.node)}.0.0`,
  })
  return {
    name,
    version: '1.0.0',
    private: true,
    type: 'module',
    engines,
    scripts: {
      dev: 'toolwright dev',
      build: `node -e "fs.rmSync('dist', { recursive: true, force: true })" && tsc`,
      start: 'node --env-file-if-exists=.env --enable-source-maps dist/main.js',
      test: runner.script(packageManager),
    },
    dependencies,
    // A package in both would not be installed with `--omit=dev`.
    devDependencies: Object.fromEntries(Object.entries(devDependencies).filter(([tool]) => !(tool in dependencies))),
    ...(tarballs === null ? {} : createOverrides(packageManager, tarballs)),
  }
}

function rangeOf(name: string, tarballs: Tarballs | null): string {
  if (tarballs === null) return `^${version}`
  const file = tarballs.get(name)
  if (file === undefined)
    throw new CommandError(`There is no tarball of ${name} ${version}. Run \`npm run pack\` again.`)
  return `file:${vendorFolder}/${basename(file)}`
}

/** Creates overrides: the tarballs depend on each other by versions that are not on npm. */
function createOverrides(packageManager: PackageManager, tarballs: Tarballs): object {
  // pnpm reads overrides from `pnpm-workspace.yaml` instead.
  if (packageManager === 'pnpm') return {}
  const key = packageManager === 'yarn' ? 'resolutions' : 'overrides'
  return { [key]: Object.fromEntries(listOverrides(tarballs)) }
}

export function listOverrides(tarballs: Tarballs): ReadonlyArray<readonly [name: string, range: string]> {
  return [...tarballs.keys()].toSorted().map((name) => [name, rangeOf(name, tarballs)])
}
