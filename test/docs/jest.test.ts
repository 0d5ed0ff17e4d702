import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { packagesInstalledWith } from '../../scripts/installed-packages.mjs'
import { root } from './markdown.js'
import { run } from './programs.js'

// The Jest configuration of the guide, in a project outside the repository.

/**
 * Packages in the project's `node_modules`, as npm installs them, because Jest decides by the path of a file whether to
 * convert it. The rest are links into the folders of this repository, like an installation with pnpm.
 */
const layouts: [name: string, copied: readonly string[]][] = [
  ['npm', ['typebox', 'jose', '@modelcontextprotocol/client']],
  ['pnpm', []],
]

/** Contains a class with decorators, an import with its suffix, and a package of each kind. */
const wordsTest = `import { connect } from '@toolwright/testing'
import { jwtBearer } from 'toolwright'
import { WordTools } from './tools/word-tools.js'

test('counts words', async () => {
  const connection = await connect({ name: 'words', version: '1.0.0', controllers: [WordTools] })
  const { structuredContent } = await connection.client.callTool({ name: 'count_words', arguments: { text: 'a b' } })
  expect(structuredContent).toEqual({ words: 2, characters: 3 })
  expect(jwtBearer).toBeInstanceOf(Function)
  await connection.close()
})
`

const testFiles = ['words.test.ts', 'more-words.test.ts', 'other-words.test.ts']

let folder: string
let copied: readonly string[]

function createProject(): void {
  folder = mkdtempSync(join(tmpdir(), 'jest-project-'))
  for (const name of ['jest', '@swc/core', '@swc/jest']) install(join(root, 'node_modules'), name)
  const ours = [...packagesInstalledWith('toolwright'), 'client', 'streams', 'testing']
  for (const name of ours) installOurs(name)
  const templates = join(root, 'packages', 'create-toolwright', 'templates')
  cpSync(join(templates, 'jest', 'jest.config.mjs'), join(folder, 'jest.config.mjs'))
  cpSync(join(templates, 'minimal', 'src'), join(folder, 'src'), { recursive: true })
  // The test of the template is for Node's test runner.
  rmSync(join(folder, 'src', 'tools', 'word-tools.test.ts'))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'words', version: '1.0.0', type: 'module' }))
  // Several files, because Jest ends the environment of a file when its last test ends.
  for (const name of testFiles) writeFileSync(join(folder, 'src', name), wordsTest)
  // A build leaves compiled copies of the tests, which must not run.
  mkdirSync(join(folder, 'dist'))
  writeFileSync(join(folder, 'dist', 'words.test.js'), "test('a copy', () => { throw new Error('a copy ran') })")
}

afterEach(() => rmSync(folder, { recursive: true }))

function installOurs(name: string): void {
  const source = join(root, 'packages', name)
  const target = join(folder, 'node_modules', name === 'toolwright' ? name : `@toolwright/${name}`)
  for (const part of ['dist', 'package.json']) cpSync(join(source, part), join(target, part), { recursive: true })
  const dependencies = join(source, 'node_modules')
  for (const dependency of namesIn(dependencies)) install(dependencies, dependency)
}

function namesIn(modules: string): readonly string[] {
  return readdirSync(modules).flatMap((name) =>
    name.startsWith('@') ? readdirSync(join(modules, name)).map((inner) => `${name}/${inner}`) : [name],
  )
}

function install(modules: string, name: string): void {
  if (name.startsWith('@toolwright/')) return
  const target = join(folder, 'node_modules', name)
  rmSync(target, { recursive: true, force: true })
  mkdirSync(dirname(target), { recursive: true })
  if (copied.includes(name)) copyWithDependencies(modules, name, target)
  else symlinkSync(join(modules, name), target, 'junction')
}

/** Dependencies of a package are beside it in the folders of pnpm, and beside its copy in those of npm. */
function copyWithDependencies(modules: string, name: string, target: string): void {
  const source = realpathSync(join(modules, name))
  cpSync(source, target, { recursive: true })
  const beside = source.slice(0, -name.length)
  for (const other of namesIn(beside)) {
    if (!existsSync(join(folder, 'node_modules', other))) install(beside, other)
  }
}

test.each(layouts)('Jest runs the tests of a server in a separate project, installed as by %s', async (_, names) => {
  copied = names
  createProject()
  const { stderr } = await run([join('node_modules', 'jest', 'bin', 'jest.js')], { cwd: folder })
  expect(stderr).toMatch(/^Tests: +3 passed, 3 total$/m)
})
