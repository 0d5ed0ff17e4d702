import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, version, Workshop } from './support/create.js'

const rootManifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  devDependencies: Record<string, string>
}

let workshop: Workshop

beforeEach(() => {
  workshop = new Workshop()
})

afterEach(() => workshop.remove())

describe('npm create toolwright', () => {
  it.each(['C#', 'really?', '100%'])('rejects the folder %j, whose programs no command could load', (folder) => {
    const { code, stderr } = workshop.create(`${folder}/server`, '--no-git')
    expect(code).toBe(1)
    expect(stderr).toContain(
      `contains '${folder.at(-1)}', which loaders of modules treat as a part of a URL. Choose another`,
    )
    expect(existsSync(join(workshop.folder, folder))).toBe(false)
  })

  it('writes a project with its own version of Toolwright, and lists its files and the next steps', () => {
    const { code, stdout, stderr } = workshop.create('my server', '--no-git')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toBe(`Created a server with one tool, count_words, in my server:
  .agents/skills/toolwright/SKILL.md
  .claude/skills/toolwright/SKILL.md
  .dockerignore
  .env
  .env.example
  .gitignore
  AGENTS.md
  Dockerfile
  README.md
  package.json
  src/main.ts
  src/tools/word-tools.test.ts
  src/tools/word-tools.ts
  tsconfig.json

Next:
  cd 'my server'
  npm install
  npm run dev    start the server, and reload it when a file is saved
  npm test       compile the project, and run its tests
`)
    const { name, dependencies, devDependencies, overrides } = workshop.readManifest('my server')
    expect(name).toBe('my-server')
    expect(dependencies).toEqual({ toolwright: `file:vendor/toolwright-${version}.tgz` })
    expect(devDependencies['@types/node']).toBe(`^${process.versions.node.split('.')[0]}.0.0`)
    expect(overrides?.['@toolwright/core']).toBe(`file:vendor/toolwright-core-${version}.tgz`)
    expect(existsSync(join(workshop.folder, 'my server', 'vendor', `toolwright-${version}.tgz`))).toBe(true)
    expect(existsSync(join(workshop.folder, 'my server', '.git'))).toBe(false)
    // The versions that Toolwright is built and tested with.
    for (const [tool, range] of Object.entries(devDependencies)) {
      if (tool.startsWith('@')) continue
      expect([tool, range.replace(/^\^/, '')]).toEqual([tool, rootManifest.devDependencies[tool]?.replace(/^\^/, '')])
    }
    // Secrets stay out of the repository and of the image.
    for (const file of ['.gitignore', '.dockerignore']) expect(workshop.read('my server', file)).toMatch(/^\.env$/m)
  })

  it('writes the Agent Skill of the repository, and refers Claude Code to it', () => {
    workshop.create('words')
    const skill = workshop.read('words', '.agents', 'skills', 'toolwright', 'SKILL.md')
    const original = readFileSync(join(root, 'skills', 'toolwright', 'SKILL.md'), 'utf8')
    expect(skill).toBe(original.replaceAll(/^<!-- snippet: .* -->\n/gm, ''))
    const [frontMatter = ''] = /^---\n[^]*?\n---\n/.exec(skill) ?? []
    expect(workshop.read('words', '.claude', 'skills', 'toolwright', 'SKILL.md')).toBe(
      `${frontMatter}\nRead \`.agents/skills/toolwright/SKILL.md\` and follow it.\n`,
    )
    expect(workshop.read('words', 'AGENTS.md')).toContain('(.agents/skills/toolwright/SKILL.md)')
  })

  it('enables the compiler option that rejects an interface as a value import', () => {
    workshop.create('words')
    const project = join(workshop.folder, 'words')
    writeFileSync(join(project, 'src', 'rates.ts'), 'export interface Rates {}')
    writeFileSync(
      join(project, 'src', 'prices.ts'),
      "import { Inject, injectable } from 'toolwright'\nimport { Rates } from './rates.js'\n" +
        "@injectable()\nexport class Prices { constructor(@Inject('rates') readonly rates: Rates) {} }",
    )
    workshop.linkModules('words', null)
    const compiler = join('node_modules', 'typescript', 'bin', 'tsc')
    const { stdout } = spawnSync(process.execPath, [compiler, '--noEmit'], { cwd: project })
    expect(stdout.toString().match(/\S+\.ts|TS\d+/g)).toEqual(['src/prices.ts', 'TS1272'])
  })

  it('has a build that removes the output of earlier builds, and a test that passes', () => {
    workshop.create('words')
    workshop.linkModules('words', null)
    const project = join(workshop.folder, 'words')
    mkdirSync(join(project, 'dist', 'tools'), { recursive: true })
    writeFileSync(join(project, 'dist', 'tools', 'removed-tools.js'), '')

    const { status, stdout } = spawnSync('npm', ['test'], { cwd: project, encoding: 'utf8' })

    expect(status).toBe(0)
    expect(stdout).toContain('counts the words and characters of a text')
    expect(readdirSync(join(project, 'dist', 'tools')).filter((name) => name.endsWith('.js'))).toEqual([
      'word-tools.js',
      'word-tools.test.js',
    ])
  })

  it('creates a repository, but not inside of another one', () => {
    workshop.create(join('outer', 'servers'))
    expect(existsSync(join(workshop.folder, 'outer', 'servers', '.git'))).toBe(true)
    const { stdout } = workshop.create(join('outer', 'servers', 'inner'), '--json')
    expect(JSON.parse(stdout)).toMatchObject({ name: 'inner', git: false, installed: false })
    expect(existsSync(join(workshop.folder, 'outer', 'servers', 'inner', '.git'))).toBe(false)
  })

  it('writes into an existing folder that is a new repository', () => {
    mkdirSync(join(workshop.folder, '.git'))
    writeFileSync(join(workshop.folder, '.git', 'HEAD'), 'ref: refs/heads/main')
    const { code, stdout } = workshop.create('.')
    expect(code).toBe(0)
    expect(stdout).toContain('\nNext:\n  npm install\n')
    expect(stdout).not.toContain('HEAD')
  })

  it('writes into a repository that was created on GitHub, and keeps its files', () => {
    const project = join(workshop.folder, 'words')
    for (const folder of ['.git', '.github', '.vscode']) mkdirSync(join(project, folder), { recursive: true })
    const own = { '.DS_Store': 'x', 'README.md': '# Mine\n', LICENSE: 'MIT', '.gitignore': '*.tmp\ndist/\n' }
    for (const [file, text] of Object.entries(own)) writeFileSync(join(project, file), text)
    writeFileSync(join(project, '.vscode', 'settings.json'), '{}')

    const { code, stdout } = workshop.create('words', '--json')

    expect(code).toBe(0)
    for (const file of ['README.md', 'LICENSE', '.DS_Store'] as const)
      expect(workshop.read('words', file)).toBe(own[file])
    expect(workshop.read('words', '.gitignore')).toBe('*.tmp\ndist/\nnode_modules/\n.env\n*.log\n')
    const { files } = JSON.parse(stdout) as { files: readonly string[] }
    expect(files).toEqual(expect.arrayContaining(['.gitignore', 'package.json']))
    expect(files.filter((file) => /^(\.git\/|\.vscode|README|LICENSE|\.DS_Store)/.test(file))).toEqual([])
  })

  it('prints JSON for scripts', () => {
    const { code, stdout, stderr } = workshop.create('words', '--from', 'hello', '--json')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(stdout)).toEqual({
      name: 'words',
      path: expect.stringMatching(/[/\\]words$/) as string,
      from: 'hello',
      packageManager: 'npm',
      test: 'node',
      installed: false,
      git: true,
      files: expect.arrayContaining(['.gitignore', 'src/main.ts', 'src/main.test.ts']) as string[],
      next: ['cd words', 'npm install', 'npm run dev', 'npm test'],
    })
  })

  it.each([
    ['pnpm', ['pnpm install', 'pnpm dev', 'pnpm test'], 'pnpm-workspace.yaml', 'RUN pnpm install\n'],
    ['yarn', ['yarn install', 'yarn dev', 'yarn test'], '.yarnrc.yml', 'RUN yarn install\n'],
    ['bun', ['bun install', 'bun run dev', 'bun run test'], 'package.json', 'RUN bun install\n'],
  ])('writes the commands of %s, if that package manager runs the program', (manager, next, file, command) => {
    const args = ['words', '--no-install', '--json', '--tarballs', workshop.tarballs]
    const { stdout } = workshop.run(args, { npm_config_user_agent: `${manager}/10.0.0 npm/? node/v22.0.0` })
    expect(JSON.parse(stdout)).toMatchObject({ packageManager: manager, next: ['cd words', ...next] })
    expect(workshop.readManifest('words').scripts['test']).toMatch(`${manager} run build`)
    // Each package manager reads the versions of indirect dependencies from a different place.
    expect(`${workshop.read('words', file)}${workshop.read('words', 'package.json')}`).toMatch(
      `file:vendor/toolwright-core-${version}.tgz`,
    )
    expect(workshop.read('words', 'Dockerfile')).toContain(command)
    expect(workshop.read('words', 'README.md')).toContain(next[2])
  })

  it('reports that an installation failed, and keeps the project', () => {
    const { code, stdout, stderr } = workshop.run(['words', '--tarballs', workshop.tarballs], {
      npm_config_offline: 'true',
    })
    expect(code).toBe(1)
    expect(stdout).toContain('Created a server')
    expect(stderr).toMatch(/npm install ended with code \d+\. The project was created: run the installation again in /)
    expect(existsSync(join(workshop.folder, 'words', 'package.json'))).toBe(true)
  })

  it('lists the samples with a description', () => {
    const starters = JSON.parse(workshop.run(['--list', '--json']).stdout) as { name: string; description: string }[]
    const samples = readdirSync(join(root, 'samples')).filter((name) =>
      existsSync(join(root, 'samples', name, 'src', 'main.ts')),
    )
    expect(starters.map(({ name }) => name)).toEqual(['minimal', ...samples.toSorted()])
    for (const { description } of starters) expect(description).toMatch(/^[A-Z][^[\n]{10,119}\.$/)
    expect(workshop.run(['--list']).stdout).toMatch(/^minimal {2,}A server with one tool, and its test\.\n/)
  })
})

describe('npm create toolwright --test', () => {
  it.each([
    ['node', 'npm run build && cd dist && node --test', ['node'], "import { test } from 'node:test'"],
    ['vitest', 'vitest run --dir src', ['node'], "import { test } from 'vitest'"],
    ['jest', 'jest', ['node', 'jest'], "import { connect } from '@toolwright/testing'"],
  ])('writes the test, its script and its types for %s', (runner, script, types, line) => {
    expect(workshop.create('words', '--test', runner, '--no-git')).toMatchObject({ code: 0, stderr: '' })
    const { scripts } = workshop.readManifest('words')
    expect(scripts['test']).toBe(script)
    expect(JSON.parse(workshop.read('words', 'tsconfig.json'))).toMatchObject({ compilerOptions: { types } })
    expect(workshop.read('words', 'src', 'tools', 'word-tools.test.ts').split('\n')[1]).toBe(line)
    // The types that the compiler looks for are installed.
    workshop.linkModules('words', null)
    if (runner === 'vitest') return
    const compiler = join('node_modules', 'typescript', 'bin', 'tsc')
    const { stdout } = spawnSync(process.execPath, [compiler], {
      cwd: join(workshop.folder, 'words'),
      encoding: 'utf8',
    })
    expect(stdout).toBe('')
  })

  it.each(['vitest', 'jest'])('leaves no import of node:test in a sample with %s', (runner) => {
    const samples = readdirSync(join(root, 'samples')).filter((sample) =>
      existsSync(join(root, 'samples', sample, 'src', 'main.ts')),
    )
    // Both runners rewrite a test in the same way: half of the samples is enough for each.
    for (const sample of samples.filter((_, index) => (index % 2 === 0) === (runner === 'jest'))) {
      workshop.create(sample, '--from', sample, '--test', runner, '--no-git')
      const files = readdirSync(join(workshop.folder, sample, 'src'), { recursive: true, encoding: 'utf8' })
      const left = files.filter(
        (file) => file.endsWith('.ts') && workshop.read(sample, 'src', file).includes('node:test'),
      )
      expect([sample, left]).toEqual([sample, []])
    }
  })
})

describe('npm create toolwright --from', () => {
  const samples = readdirSync(join(root, 'samples')).filter((name) =>
    existsSync(join(root, 'samples', name, 'src', 'main.ts')),
  )

  it.each(samples)('turns the sample %s into a stand-alone project', (sample) => {
    const { code, stderr } = workshop.create(sample, '--from', sample, '--no-git')
    expect(code).toBe(0)
    // One of them needs a newer version of Node than the oldest that the packages support.
    expect(stderr).toMatch(/^(The project needs Node >=22\.13, and this is \S+\.\n)?$/)
    const { dependencies, devDependencies, engines } = workshop.readManifest(sample)
    const own = JSON.parse(readFileSync(join(root, 'samples', sample, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>
      engines: Record<string, string>
    }
    expect(Object.keys(dependencies)).toEqual(Object.keys(own.dependencies).toSorted())
    // An installation without development dependencies would leave out a package that is in both.
    expect(Object.keys(devDependencies).filter((name) => name in dependencies)).toEqual([])
    expect(engines).toEqual(own.engines)
    expect(JSON.stringify({ dependencies, devDependencies })).not.toContain('workspace:')
    const files = readdirSync(join(workshop.folder, sample), { recursive: true, encoding: 'utf8' })
    expect(files.some((file) => /^src.*\.test\.ts$/.test(file))).toBe(true)
    for (const file of files.filter((name) => /\.(md|ts|json|yaml|conf)$/.test(name))) {
      expect([
        file,
        /.*(samples\/|\.\.\/\.\.\/(docs|packages|test)|at the root of).*/.exec(workshop.read(sample, file)),
      ]).toEqual([file, null])
    }
  })

  it('writes random API keys into .env, which is not committed', () => {
    const keys = ['one', 'two'].map((name) => {
      workshop.create(name, '--from', 'expenses', '--no-git')
      expect(workshop.read(name, '.env.example')).toMatch(/^READER_KEY=\nWRITER_KEY=$/m)
      return workshop.read(name, '.env').match(/(?<=^(?:READER|WRITER)_KEY=)[\w-]{32}$/gm) ?? []
    })
    expect(new Set(keys.flat()).size).toBe(4)
  })

  it('compiles outside of the clone', () => {
    workshop.create('shop', '--from', 'metrics', '--no-git')
    workshop.linkModules('shop', 'metrics')
    const compiler = join('node_modules', 'typescript', 'bin', 'tsc')
    const { stdout } = spawnSync(process.execPath, [compiler], { cwd: join(workshop.folder, 'shop'), encoding: 'utf8' })
    expect(stdout).toBe('')
  })
})

describe('npm create toolwright with wrong arguments', () => {
  it('does not change a folder that is not empty', () => {
    mkdirSync(join(workshop.folder, 'words'))
    writeFileSync(join(workshop.folder, 'words', 'notes.txt'), 'mine')
    expect(workshop.create('words')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'words is not empty (found notes.txt). Choose a new or empty folder.\n',
    })
    expect(readdirSync(join(workshop.folder, 'words'))).toEqual(['notes.txt'])
  })

  it('does not follow a link whose target does not exist', () => {
    symlinkSync(join(workshop.folder, 'missing'), join(workshop.folder, 'words'), 'junction')
    expect(workshop.create('words')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'words is a link, and its target does not exist. Choose a new folder.\n',
    })
  })

  it('creates no folder below a file', () => {
    writeFileSync(join(workshop.folder, 'notes'), 'mine')
    const { code, stderr } = workshop.create(join('notes', 'words'))
    expect(code).toBe(1)
    expect(stderr).toMatch(/^notes.words cannot be used: [^\n]+\n$/)
  })

  it('does not change a file', () => {
    writeFileSync(join(workshop.folder, 'words'), 'mine')
    const { code, stderr } = workshop.create('words')
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'words is a file. Choose a new folder.\n' })
  })

  it.each([
    [['words', '--tarballs', 'nowhere'], 1, /^\S+nowhere has no toolwright-\d\S+tgz\. Run `npm run pack` in \S+\.\n$/],
    [[], 64, /^Missing argument: FOLDER\. Example: npm create toolwright@latest my-server\n$/],
    [[''], 64, /^Missing argument: FOLDER\.\n$/],
    [['my', 'server'], 64, /^Unexpected argument 'server'\. Quote a FOLDER that contains spaces\.\n$/],
    [['words', '--force'], 64, /^Unknown option '--force'\. --help lists the options\.\n$/],
    [['words', '-f'], 64, /^Unknown option '-f'\. --help lists the options\.\n$/],
    [['words', '--from', 'nothing'], 64, /^Unknown sample 'nothing'\. Use one of: minimal, .*hello, .*\.\n$/],
    [['words', '--from'], 64, /^Missing value: --from SAMPLE\.\n$/],
    [['words', '--test', 'mocha'], 64, /^Unknown test runner 'mocha'\. Use node, vitest, jest\.\n$/],
    [['words', '--package-manager', 'cargo'], 64, /^Unknown package manager 'cargo'\. Use npm, pnpm, yarn, bun\.\n$/],
  ])('%j ends with %i', (args, code, message) => {
    const flags = args.includes('--tarballs') ? [] : ['--tarballs', workshop.tarballs]
    const given = args.at(-1) === '--from' ? [...flags, ...args] : [...args, ...flags]
    const ended = workshop.run(given)
    expect(ended).toEqual({ code, stdout: '', stderr: expect.stringMatching(message) as string })
    expect(readdirSync(workshop.folder)).toEqual([])
  })

  it('requires an installed package manager', () => {
    const args = ['words', '--package-manager', 'bun', '--tarballs', workshop.tarballs]
    const stderr = 'bun is not installed. Install it, or choose another with --package-manager.\n'
    expect(workshop.run(args, { PATH: '' })).toEqual({ code: 1, stdout: '', stderr })
  })

  it('prints its help without colours, and its version', () => {
    const { code, stdout } = workshop.run(['--help'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Create a project: .*\n\nUSAGE new \[OPTIONS\] \[FOLDER\]\n[^]*--from=<SAMPLE>[^]*EXAMPLES/)
    expect(workshop.run(['--version']).stdout).toBe(`${version}\n`)
  })
})
