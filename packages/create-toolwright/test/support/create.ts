import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const root = join(__dirname, '..', '..', '..', '..')
export const program = join(root, 'packages', 'create-toolwright', 'bin', 'create-toolwright.js')
export const { version } = readJson<{ version: string }>(join(root, 'packages', 'create-toolwright', 'package.json'))

/** The parts of `package.json` that tests look at. */
export interface Manifest {
  readonly name: string
  readonly version: string
  readonly engines: Record<string, string>
  readonly scripts: Record<string, string>
  readonly dependencies: Record<string, string>
  readonly devDependencies: Record<string, string>
  readonly overrides?: Record<string, string>
  readonly resolutions?: Record<string, string>
}

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** An empty folder, and the command run in it. */
export class Workshop {
  readonly folder = mkdtempSync(join(tmpdir(), 'toolwright-new-'))
  /** Files with the names of tarballs. No test here installs them: `npm run scaffold-samples` does. */
  readonly tarballs = mkdtempSync(join(tmpdir(), 'toolwright-tarballs-'))

  constructor() {
    for (const folder of readdirSync(join(root, 'packages'))) {
      const { name } = readJson<{ name: string }>(join(root, 'packages', folder, 'package.json'))
      writeFileSync(join(this.tarballs, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`), '')
    }
  }

  /** Runs the command without a terminal, as npm 11 starts it. */
  run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Ended {
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
      cwd: this.folder,
      env: { ...process.env, npm_config_user_agent: 'npm/11.0.0 node/v20.19.0', ...env },
      encoding: 'utf8',
    })
    return { code: status, stdout, stderr }
  }

  /** Creates a project without installing. */
  create(...args: readonly string[]): Ended {
    return this.run(['--no-install', '--tarballs', this.tarballs, ...args])
  }

  remove(): void {
    for (const folder of [this.folder, this.tarballs]) rmSync(folder, { recursive: true })
  }

  read(...path: readonly string[]): string {
    return readFileSync(join(this.folder, ...path), 'utf8')
  }

  readManifest(project: string): Manifest {
    return readJson(join(this.folder, project, 'package.json'))
  }

  /** Stands in for `npm install`: links to the packages of the clone, and of a sample. */
  linkModules(project: string, sample: string | null): void {
    const modules = join(this.folder, project, 'node_modules')
    mkdirSync(modules)
    const folders = [
      join(root, 'node_modules'),
      ...(sample === null ? [] : [join(root, 'samples', sample, 'node_modules')]),
    ]
    for (const folder of folders) {
      for (const name of readdirSync(folder)) {
        if (name.startsWith('@')) {
          mkdirSync(join(modules, name), { recursive: true })
          for (const scoped of readdirSync(join(folder, name)))
            link(join(folder, name, scoped), join(modules, name, scoped))
        } else link(join(folder, name), join(modules, name))
      }
    }
  }
}

function link(target: string, path: string): void {
  try {
    symlinkSync(target, path, 'junction')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

function readJson<Content>(file: string): Content {
  return JSON.parse(readFileSync(file, 'utf8')) as Content
}
