import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildFirstServer, type Project } from './first-server.js'
import { allBlocks, type Block, expectText, root } from './markdown.js'
import { curl, type Printed, type RunningServer, run, startServer } from './programs.js'

// All output and responses on the pages. Run with DOCS=write to update the pages.

const snippets = join(root, 'docs', 'snippets', 'dist')
const blocks = allBlocks()
const inputs = blocks.filter(({ mark }) => mark?.kind === 'input')
const outputs = blocks.filter(({ mark }) => mark?.kind === 'output')

let project: Project
const started = new Map<string, Promise<RunningServer>>()

beforeAll(async () => {
  project = await buildFirstServer()
})

afterAll(async () => {
  const results = await Promise.allSettled(started.values())
  for (const result of results) if (result.status === 'fulfilled') await result.value.stop()
  project.remove()
})

const starters: Readonly<Record<string, () => Promise<RunningServer>>> = {
  hello: () => startServer([join(root, 'samples', 'hello', 'dist', 'main.js')], { cwd: root }),
  calculator: () => startServer([join(root, 'samples', 'calculator', 'dist', 'main.js')], { cwd: root }),
  examples: () => startServer([join(snippets, 'serve-examples.js')], { cwd: root }),
  words: () => startServer(['dist/main.js'], { cwd: project.folder }),
}

/** The server with this name in the names of blocks, started on first use. */
function serverOf(name: string): Promise<RunningServer> {
  const start = starters[name]
  if (start === undefined) throw new Error(`there is no server '${name}'`)
  const server = started.get(name) ?? start()
  started.set(name, server)
  return server
}

/** Runs `toolwright` in the folder of a sample. */
function runCommand(sample: string, ...args: readonly string[]): Promise<Printed> {
  const command = join(root, 'packages', 'cli', 'bin', 'toolwright.js')
  return run([command, ...args], { cwd: join(root, 'samples', sample) })
}

/** Outputs other than responses of a server, by the name of the block. */
const programs: Readonly<Record<string, () => Promise<string>>> = {
  'calculator/list': async () => shown(await runCommand('calculator', 'list')),
  'calculator/call': async () => shown(await runCommand('calculator', 'call', 'add_numbers', '--a', '1', '--b', '2.5')),
  'calculator/missing': async () =>
    (await runCommand('calculator', 'call', 'add_numbers', '--a', '1')).stderr.trimEnd(),
  'tasks/render': async () => {
    const { stdout, stderr } = await runCommand('tasks', 'call', 'render', '--title', 'Faust', '--frames', '3')
    return `${stderr}${stdout}`.trimEnd()
  },
  'hello/doctor': async () => {
    const { port } = await serverOf('hello')
    const printed = shown(await runCommand('hello', 'doctor', `http://127.0.0.1:${port}/mcp`))
    return printed.replace(/after \d+ ms/, 'after 3 ms')
  },
  'new/list': async () => {
    const command = join(root, 'packages', 'create-toolwright', 'bin', 'create-toolwright.js')
    return shown(await run([command, '--list'], { cwd: root }))
  },
  'words/client': async () => shown(await run(['client.mjs'], { cwd: project.folder })),
  'missing-tool/explain': async () =>
    shown(await run(['main.js', '--explain'], { cwd: join(snippets, 'missing-tool') })),
  'authorization/matrix': async () => shown(await run(['authorization-matrix.js'], { cwd: snippets })),
  'validate-values/run': async () => shown(await run(['validate-values.js'], { cwd: snippets })),
  'configure/boot': async () => shownError(await run(['configure.js'], { cwd: snippets, env: { POOL_SIZE: 'many' } })),
  'broken/boot': async () => shownError(await run(['main.js'], { cwd: join(snippets, 'broken') })),
  'install/diff': async () => shown(await installInHome()),
}

test('the class runs under tsx with explicit tokens', async () => {
  const cwd = join(root, 'docs', 'snippets')
  expect(await run(['--import', 'tsx', 'lost-metadata/explicit.ts'], { cwd })).toMatchObject({ stderr: '' })
})

test('the project of the first tutorial compiles without output', () => {
  expect(project.compiled).toEqual({ stdout: '', stderr: '' })
})

test('the test of that project passes', async () => {
  const { stdout } = await run(['--test', '--test-reporter=tap'], { cwd: join(project.folder, 'dist') })
  expect(stdout).toMatch(/# tests 1\n# suites 0\n# pass 1\n/)
})

test('the development runner of the pages serves the same tools', async () => {
  const server = await startServer(['--import', '@oxc-node/core/register', 'src/main.ts'], { cwd: project.folder })
  await server.stop()
  expect(withDocumentedPort(server)).toBe(withDocumentedPort(await serverOf('words')))
})

test.each(outputs.map((block) => [`${block.file}:${block.line} ${block.mark?.name}`, block] as const))(
  '%s',
  async (_where, block) => {
    expectText(block, await produce(block.mark?.name ?? ''))
  },
)

test('every command on the pages is shown with its response', () => {
  const answered = new Set(outputs.map(({ mark }) => mark?.name))
  expect(inputs.filter(({ mark }) => !answered.has(mark?.name)).map(({ file, line }) => `${file}:${line}`)).toEqual([])
})

async function produce(name: string): Promise<string> {
  const program = programs[name]
  if (program !== undefined) return program()
  const server = await serverOf(name.split('/')[0] ?? '')
  if (name.endsWith('/serve')) return withDocumentedPort(server)
  const input = inputs.find(({ mark }) => mark?.name === name)
  if (input === undefined) throw new Error(`there is no <!-- input: ${name} --> to run`)
  return input.language === 'json' ? request(input, server) : curl(input.text, server.port)
}

/**
 * Sends the params in a block. After `:` its name has the method (default: `tools/call`), and after `@` the revision.
 */
async function request({ text, mark }: Block, { port }: RunningServer): Promise<string> {
  const [, method = 'tools/call', version = '2025-11-25'] =
    /^[^:@]*(?::([\w/]+))?(?:@(.+))?$/.exec(mark?.name ?? '') ?? []
  const params: unknown = JSON.parse(text)
  const response = await fetch(`http://127.0.0.1:${port}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'mcp-protocol-version': version },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const answer = (await response.json()) as { result?: unknown; error?: unknown }
  return JSON.stringify(answer.result ?? answer.error, null, 2)
}

/** Runs `toolwright install` with the configuration of a user who has one server. */
async function installInHome(): Promise<Printed> {
  const home = mkdtempSync(join(tmpdir(), 'toolwright-home-'))
  const servers = { github: { url: 'https://github.example.com/mcp' } }
  mkdirSync(join(home, '.cursor'))
  writeFileSync(join(home, '.cursor', 'mcp.json'), JSON.stringify({ mcpServers: servers }, null, 2))
  const command = join(root, 'packages', 'cli', 'bin', 'toolwright.js')
  const args = ['install', 'cursor', '--name', 'words', '--url', 'http://127.0.0.1:3000/mcp', '--dry-run']
  try {
    const { stdout, stderr } = await run([command, ...args], { cwd: home, env: { HOME: home } })
    return { stdout: stdout.replaceAll(home, '/home/you'), stderr }
  } finally {
    rmSync(home, { recursive: true })
  }
}

function withDocumentedPort({ greeting, port }: RunningServer): string {
  return greeting.replaceAll(`:${port}/`, ':3000/')
}

function shown({ stdout, stderr }: Printed): string {
  if (stderr !== '') throw new Error(stderr)
  return stdout.trimEnd()
}

/** The message of the error that ended a program. Node prints an error that it does not leave to Toolwright in brackets. */
function shownError({ stderr }: Printed): string {
  const lines = stderr.split('\n')
  const first = lines.findIndex((line) => line.includes('BootError: '))
  const numbered = lines.slice(first + 1).filter((line) => /^ {2}\d+\. /.test(line))
  const message = [lines[first] ?? stderr, ...numbered].join('\n')
  return message.startsWith('[') ? message.slice(1).replace(/\](?: \{)?$/, '') : message
}
