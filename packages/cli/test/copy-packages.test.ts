import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { copyPackages } from '../src/publish/copy-packages.js'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolwright-copy-'))
})

afterEach(() => rmSync(folder, { recursive: true }))

function addPackage(path: string, version: string, members: object = {}): void {
  mkdirSync(join(folder, path), { recursive: true })
  writeFileSync(join(folder, path, 'package.json'), JSON.stringify({ version, ...members }))
}

function link(path: string, target: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  symlinkSync(join(folder, target), join(folder, path), 'dir')
}

function versionOf(path: string): string {
  return JSON.parse(readFileSync(join(folder, 'target', 'node_modules', path, 'package.json'), 'utf8')).version
}

describe('the packages of a bundle', () => {
  test('are those that the project needs, each with its own version of others', () => {
    addPackage('project', '1.0.0', { dependencies: { one: '1', shared: '1' }, devDependencies: { tool: '1' } })
    addPackage('project/node_modules/tool', '1.0.0')
    addPackage('project/node_modules/shared', '1.0.0')
    // The layout of pnpm: links to folders whose neighbours are their dependencies.
    addPackage('store/one/node_modules/one', '1.5.0', {
      dependencies: { shared: '2' },
      optionalDependencies: { gone: '1' },
    })
    addPackage('store/shared/node_modules/shared', '2.0.0', { dependencies: { one: '1' } })
    link('project/node_modules/one', 'store/one/node_modules/one')
    link('store/one/node_modules/shared', 'store/shared/node_modules/shared')
    link('store/shared/node_modules/one', 'store/one/node_modules/one')
    copyPackages(join(folder, 'project'), join(folder, 'target'))
    expect([versionOf('one'), versionOf('shared'), versionOf('one/node_modules/shared')]).toStrictEqual([
      '1.5.0',
      '1.0.0',
      '2.0.0',
    ])
    expect(existsSync(join(folder, 'target', 'node_modules', 'tool'))).toBe(false)
  })

  test('have to be installed', () => {
    addPackage('project', '1.0.0', { dependencies: { one: '1' } })
    expect(() => copyPackages(join(folder, 'project'), join(folder, 'target'))).toThrow(
      "'one' is not installed, but project needs it. Install the dependencies.",
    )
  })
})
