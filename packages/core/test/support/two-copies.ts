import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { packagesInstalledWith } from '../../../../scripts/installed-packages.mjs'

const core = join(__dirname, '..', '..')
const root = join(core, '..', '..')

/**
 * A folder with the packages of this repository in `node_modules`, and a library in `library/` with its own copy of
 * `@toolwright/core` and of tsyringe.
 */
export class TwoCopies {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'two-copies-')))
  readonly ownCore = join(core, 'dist', 'copies', 'copies.js')
  readonly otherCore = join(
    this.folder,
    'library',
    'node_modules',
    '@toolwright',
    'core',
    'dist',
    'copies',
    'copies.js',
  )
  readonly ownTsyringe = join(realpathSync(join(core, 'node_modules', 'tsyringe')), 'dist', 'cjs', 'index.js')
  readonly otherTsyringe = join(this.folder, 'library', 'node_modules', 'tsyringe', 'dist', 'cjs', 'index.js')

  constructor() {
    const own = join(this.folder, 'node_modules', '@toolwright')
    mkdirSync(own, { recursive: true })
    for (const name of [...packagesInstalledWith('fastify'), 'auth'])
      symlinkSync(join(root, 'packages', name), join(own, name))
    for (const [name, of] of [
      ['fastify', root],
      ['pino', core],
    ] as const) {
      symlinkSync(realpathSync(join(of, 'node_modules', name)), join(this.folder, 'node_modules', name))
    }
    const library = join(this.folder, 'library', 'node_modules')
    const copy = join(library, '@toolwright', 'core')
    mkdirSync(copy, { recursive: true })
    cpSync(join(core, 'package.json'), join(copy, 'package.json'))
    cpSync(join(core, 'dist'), join(copy, 'dist'), { recursive: true })
    const tsyringe = realpathSync(join(core, 'node_modules', 'tsyringe'))
    cpSync(tsyringe, join(library, 'tsyringe'), { recursive: true })
    cpSync(realpathSync(join(dirname(tsyringe), 'tslib')), join(library, 'tslib'), { recursive: true })
    for (const name of ['fastest-levenshtein', 'pino', 'rate-limiter-flexible']) {
      symlinkSync(realpathSync(join(core, 'node_modules', name)), join(library, name))
    }
    symlinkSync(join(root, 'packages', 'schema'), join(library, '@toolwright', 'schema'))
    for (const name of ['reflect-metadata', 'secure-json-parse']) {
      symlinkSync(realpathSync(join(core, 'node_modules', name)), join(library, name))
    }
  }

  /** Writes modules, and runs the first with Node. Returns its output, parsed as JSON. */
  async run(modules: Readonly<Record<string, string>>, flags: readonly string[] = []): Promise<unknown> {
    for (const [file, text] of Object.entries(modules)) writeFileSync(join(this.folder, file), text)
    const [main = ''] = Object.keys(modules)
    const { stdout } = await promisify(execFile)(process.execPath, [...flags, main], {
      cwd: this.folder,
      // Copies have no bundle.
      env: { ...process.env, NODE_OPTIONS: '' },
    })
    return JSON.parse(stdout) as unknown
  }

  close(): void {
    rmSync(this.folder, { recursive: true })
  }
}
