import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

export const program = join(__dirname, '..', '..', 'bin', 'toolwright.js')

/** A server that needs the variable `STATION`, if its project has an `.env.example`. */
const server = `
const { createInterface } = require('node:readline')
if (require('node:fs').existsSync(__dirname + '/../.env.example') && !process.env.STATION) {
  console.error('STATION is not set')
  process.exit(1)
}
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const results = {
    initialize: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'words', version: '1' } },
    'tools/list': { tools: process.env.STATION === 'none' ? [] : [{ name: 'count', inputSchema: { type: 'object' } }] },
  }
  const answer = method in results ? { result: results[method] } : { error: { code: -32601, message: 'unknown' } }
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
})
`

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
  write('project/dist/main.js', server)
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
