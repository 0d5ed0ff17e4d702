import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const program = join(__dirname, '..', 'bin', 'create-toolwright.js')
const { version } = JSON.parse(readFileSync(join(__dirname, '..', 'package.json'), 'utf8')) as { version: string }
const rootManifest = JSON.parse(readFileSync(join(__dirname, '..', '..', '..', 'package.json'), 'utf8')) as {
  devDependencies: Record<string, string>
}

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolwright-new-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function create(...args: readonly string[]): { code: number | null; stdout: string; stderr: string } {
  const { status: code, stdout, stderr } = spawnSync(process.execPath, [program, ...args], { cwd: folder })
  return { code, stdout: stdout.toString(), stderr: stderr.toString() }
}

interface Manifest {
  readonly name: string
  readonly dependencies: Record<string, string>
  readonly devDependencies: Record<string, string>
}

function readManifest(project: string): Manifest {
  return JSON.parse(readFileSync(join(folder, project, 'package.json'), 'utf8')) as Manifest
}

describe('npm create toolwright', () => {
  it('names the project after its folder, and depends on its own version of Toolwright', () => {
    expect(create('My first server')).toMatchObject({ code: 0, stderr: '' })
    const { name, dependencies, devDependencies } = readManifest('My first server')
    expect(name).toBe('my-first-server')
    expect(dependencies).toEqual({ toolwright: `^${version}` })
    expect(devDependencies['@toolwright/testing']).toBe(`^${version}`)
  })

  it.each([
    ['été', 'ete'],
    ['Ünï Server!', 'uni-server'],
    ['words-', 'words'],
    ['日本', 'server'],
    ['node_modules', 'server'],
    ['x'.repeat(220), 'x'.repeat(214)],
  ])('names the project of the folder %s %s, a valid npm name', (project, name) => {
    expect(create(project)).toMatchObject({ code: 0, stderr: '' })
    expect(readManifest(project).name).toBe(name)
  })

  it('depends on the versions that Toolwright is built and tested with', () => {
    create('words')
    const { '@toolwright/testing': _ours, ...others } = readManifest('words').devDependencies
    for (const [name, range] of Object.entries(others)) {
      expect(range.replace(/^\^/, '')).toBe(rootManifest.devDependencies[name]?.replace(/^\^/, ''))
    }
  })

  it('enables the compiler option that rejects an interface as a value import', () => {
    create('words')
    const project = join(folder, 'words')
    writeFileSync(join(project, 'src', 'rates.ts'), 'export interface Rates {}')
    writeFileSync(
      join(project, 'src', 'prices.ts'),
      "import { Inject, injectable } from 'toolwright'\nimport { Rates } from './rates.js'\n" +
        "@injectable()\nexport class Prices { constructor(@Inject('rates') readonly rates: Rates) {} }",
    )
    const modules = join(__dirname, '..', '..', '..', 'node_modules')
    symlinkSync(modules, join(project, 'node_modules'), 'junction')

    const compiler = join(modules, 'typescript', 'bin', 'tsc')
    const { stdout } = spawnSync(process.execPath, [compiler, '--noEmit'], { cwd: project })

    expect(stdout.toString().match(/\S+\.ts|TS\d+/g)).toEqual(['src/prices.ts', 'TS1272'])
  })

  it('has a build that removes the output of earlier builds', () => {
    create('words')
    const project = join(folder, 'words')
    symlinkSync(join(__dirname, '..', '..', '..', 'node_modules'), join(project, 'node_modules'), 'junction')
    mkdirSync(join(project, 'dist', 'tools'), { recursive: true })
    writeFileSync(join(project, 'dist', 'tools', 'removed-tools.js'), '')

    const { status } = spawnSync('npm', ['run', 'build'], { cwd: project })

    expect(status).toBe(0)
    expect(readdirSync(join(project, 'dist', 'tools')).filter((name) => name.endsWith('.js'))).toEqual([
      'word-tools.js',
      'word-tools.test.js',
    ])
  })

  it('writes into an existing empty folder', () => {
    const { code, stdout, stderr } = create('.')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('\nNext:\n  npm install\n')
    expect(readdirSync(folder).toSorted()).toEqual(['.gitignore', 'package.json', 'src', 'tsconfig.json'])
  })

  it('writes into a new repository', () => {
    mkdirSync(join(folder, 'words', '.git'), { recursive: true })
    writeFileSync(join(folder, 'words', '.git', 'HEAD'), 'ref: refs/heads/main')
    const { code, stdout, stderr } = create('words')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('\n  .gitignore\n')
    expect(stdout).not.toContain('HEAD')
  })

  it.each([
    ['my server', "'my server'"],
    ["ada's & $HOME", "'ada'\\''s & $HOME'"],
    ['-words', './-words'],
    ['@me/wörter-2.0', '@me/wörter-2.0'],
  ])('quotes %s so that a shell reads one folder', (name, quoted) => {
    expect(create('--', name).stdout).toContain(`\n  cd ${quoted}\n`)
  })

  it('quotes a folder on Windows for its shells', () => {
    const asWindows = "data:text/javascript,Object.defineProperty(process,'platform',{value:'win32'})"
    const flags = ['--import', asWindows, program]
    const { stdout } = spawnSync(process.execPath, [...flags, 'my server'], { cwd: folder, encoding: 'utf8' })
    expect(stdout).toContain('\n  cd "my server"\n')
  })

  it('creates the parent folders', () => {
    expect(create(join('servers', 'words'))).toMatchObject({ code: 0, stderr: '' })
    expect(readManifest(join('servers', 'words')).name).toBe('words')
  })

  it('does not change a folder that is not empty', () => {
    mkdirSync(join(folder, 'words'))
    writeFileSync(join(folder, 'words', 'notes.txt'), 'mine')
    expect(create('words')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'words is not empty (found notes.txt). Choose a new or empty folder.\n',
    })
    expect(readdirSync(join(folder, 'words'))).toEqual(['notes.txt'])
  })

  it('does not change a file', () => {
    writeFileSync(join(folder, 'words'), 'mine')
    expect(create('words')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'words is a file. Choose a new folder.\n',
    })
  })
})

it.each([
  [['--help'], 0, /^Create a project.*USAGE.*\[FOLDER\]/s, ''],
  [['--version'], 0, /^\d+\.\d+\.\d+\n$/, ''],
  [[], 1, /^$/, 'Missing argument: FOLDER.\n'],
  [[''], 1, /^$/, 'Missing argument: FOLDER.\n'],
  [['my', 'server'], 1, /^$/, "Unexpected argument 'server'. Quote a FOLDER that contains spaces.\n"],
  [['words', '--force'], 1, /^$/, "Unknown option '--force'. --help lists the options.\n"],
])('npm create toolwright %j ends with %i', (args, code, stdout, stderr) => {
  expect(create(...args)).toEqual({ code, stdout: expect.stringMatching(stdout) as string, stderr })
  expect(readdirSync(folder)).toEqual([])
})
