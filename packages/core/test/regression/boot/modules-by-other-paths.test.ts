import { execFileSync, execSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { McpTool } from '@toolwright/core'
import { createServer } from '@toolwright/server'
import { buildSync } from 'esbuild'
import { pino } from 'pino'

const index = join(__dirname, '..', '..', '..', 'dist', 'index.js')
const needsRequire = "import { createRequire as own } from 'node:module'; const require = own(import.meta.url)"

const tools = `
import { McpTool } from '@toolwright/core'
export class Tools { call() { return '' } }
McpTool()(Tools.prototype, 'call', Object.getOwnPropertyDescriptor(Tools.prototype, 'call'))
`
const main = (scan: string) => `
import { createServer } from '@toolwright/core'
const outcome = await createServer({ name: 'app', version: '1.0.0', ${scan} }).then(
  (server) => server.catalog.tools.all.map(({ name }) => name).join(),
  ({ message }) => message,
)
console.log(outcome)
`
const scanTools = "scan: new URL('./tools/', import.meta.url)"

let folder = ''
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'other-paths-')))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Bundles a program with all of its packages into one file. */
function bundle(entry: string, outfile: string, format: 'esm' | 'cjs' = 'esm'): void {
  const banner = { js: format === 'esm' ? needsRequire : '' }
  const alias = { '@toolwright/core': index }
  const logLevel = 'silent'
  buildSync({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format, banner, alias, logLevel })
}

/** Copies core into the `node_modules` of a folder. With `entry`, copies the exports of another file. */
function installCore(into: string, entry?: string): string {
  const core = join(into, 'node_modules', '@toolwright', 'core')
  mkdirSync(core, { recursive: true })
  writeFileSync(join(core, 'package.json'), '{ "name": "@toolwright/core", "type": "module", "exports": "./index.js" }')
  if (entry === undefined) bundle(index, join(core, 'index.js'))
  else {
    const banner = { js: needsRequire }
    const options = { bundle: true, platform: 'node', format: 'esm', banner, logLevel: 'silent' } as const
    const stdin = { contents: entry, resolveDir: __dirname }
    buildSync({ ...options, stdin, outfile: join(core, 'index.js') })
  }
  return join(core, 'index.js')
}

function write(file: string, text: string): string {
  mkdirSync(join(folder, file, '..'), { recursive: true })
  writeFileSync(join(folder, file), text)
  return join(folder, file)
}

const node = (...args: string[]) => execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8' }).trim()

test('scan imports a linked module by the path of the link, with --preserve-symlinks', () => {
  installCore(folder)
  installCore(join(folder, 'elsewhere'))
  write('elsewhere/tools/tools.mjs', tools)
  write('main.mjs', main("scan: ['tools', 'twice']"))
  for (const name of ['tools', 'twice']) symlinkSync(join(folder, 'elsewhere', 'tools'), join(folder, name))

  expect(node('--preserve-symlinks', 'main.mjs')).toBe('call')
})

test('a bundle beside its compiled tools is reported with the files of both copies', () => {
  const installed = installCore(folder)
  write('tools/tools.mjs', tools)
  write('src/main.mjs', main(scanTools))
  bundle(join(folder, 'src', 'main.mjs'), join(folder, 'main.mjs'))

  expect(node('main.mjs')).toContain(
    'was decorated by another copy of @toolwright/core than the one that serves it. ' +
      `One is ${installed}, the other is ${join(folder, 'main.mjs')}. Install one version`,
  )
})

test.each(['esm', 'cjs'] as const)('scan in a bundle without folders is reported: %s', (format) => {
  const body = main("scan: '/no/such/folder'").replace(/import .*\n/, '')
  const source = `import { createServer } from '@toolwright/core'\nvoid (async () => {${body}})()`
  write('src/main.mjs', source)
  bundle(join(folder, 'src', 'main.mjs'), join(folder, 'bundle.js'), format)
  write('package.json', JSON.stringify({ type: format === 'esm' ? 'module' : 'commonjs' }))

  expect(node('bundle.js')).toContain(
    'a bundle has no folders: list the classes in `controllers`. [scan-folder-missing]',
  )
})

test('a server starts although its working directory was removed', () => {
  installCore(folder, "export * from '@toolwright/core'\nexport { createServer } from '@toolwright/server'")
  const lines = [
    "import { createServer } from '@toolwright/core'",
    "const server = await createServer({ name: 'app', version: '1.0.0', scan: new URL('./tools/', import.meta.url) })",
    'console.log(server.explain().tools.length, server.explain().modules[0].file)',
  ]
  write('tools/tools.mjs', tools)
  write('main.mjs', lines.join('\n'))

  mkdirSync(join(folder, 'gone'))
  const command = `rmdir "$PWD" && ${process.execPath} ${join(folder, 'main.mjs')}`
  const stdout = execSync(command, { cwd: join(folder, 'gone'), encoding: 'utf8' })
  expect(stdout.trim()).toBe(`1 ${join(folder, 'tools', 'tools.mjs').slice(1)}`)
})

test('a compiler that emits no return types is reported in the log, because output schemas are missing', async () => {
  class Tools {
    call(_text: string): string {
      return ''
    }

    typed(_text: string): string {
      return ''
    }
  }
  // Metadata as emitted by Babel's plugin, and by tsc for a method without a return type.
  for (const name of ['call', 'typed'] as const) {
    Reflect.defineMetadata('design:paramtypes', [], Tools.prototype, name)
    McpTool({ description: 'Calls' })(
      Tools.prototype,
      name,
      Object.getOwnPropertyDescriptor(Tools.prototype, name) as never,
    )
  }
  Reflect.defineMetadata('design:returntype', undefined, Tools.prototype, 'typed')
  const lines: string[] = []
  const logger = pino({ level: 'warn' }, { write: (line) => lines.push(line) })
  await createServer({ name: 'babel', version: '1.0.0', controllers: [Tools], logger })

  expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
    expect.objectContaining({ tools: ['call'], msg: expect.stringContaining('Pass the class as the option `output`') }),
  ])
})
