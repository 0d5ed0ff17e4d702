import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const program = join(__dirname, '..', '..', 'bin', 'toolwright.js')

export interface Run {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A home folder and a project, in a folder for temporary files. */
export interface TestMachine {
  readonly home: string
  readonly project: string
  /** Writes a file below the home folder. */
  readonly write: (path: string, text: string) => string
  /** Runs `toolwright install` in the project, without a terminal. */
  readonly install: (...args: readonly string[]) => Run
  readonly delete: () => void
}

export function createMachine(): TestMachine {
  const home = mkdtempSync(join(tmpdir(), 'toolwright-install-'))
  const project = join(home, 'project')
  const write = (path: string, text: string): string => {
    const file = join(home, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    return file
  }
  write('project/package.json', '{ "name": "@scope/words" }')
  write('project/dist/main.js', '')
  const { PATH } = process.env
  const install = (...args: readonly string[]): Run => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, 'install', ...args], {
      cwd: project,
      env: { PATH, HOME: home },
      encoding: 'utf8',
    })
    return { code: status, stdout, stderr }
  }
  return { home, project, write, install, delete: () => rmSync(home, { recursive: true }) }
}
