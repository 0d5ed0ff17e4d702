import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { createMachine, program, type TestMachine } from './run-install.js'

// Configurations of users that `toolwright install` must not damage.

let machine: TestMachine

beforeEach(() => {
  machine = createMachine()
})

afterEach(() => machine.delete())

const url = ['--url', 'http://127.0.0.1:3000/mcp', '--yes']

/** Runs `toolwright install` without waiting for other runs. */
async function start(...args: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [program, 'install', ...args], {
    cwd: machine.project,
    env: { PATH: process.env['PATH'], HOME: machine.home },
    stdio: 'ignore',
  })
  const [code] = (await once(child, 'exit')) as [number]
  return code
}

describe('the file of a client', () => {
  test.each([
    ['cursor', '.cursor/mcp.json', (text: string) => Object.keys(JSON.parse(text).mcpServers)],
    ['codex', '.codex/config.toml', (text: string) => text.match(/(?<=\[mcp_servers\.)\w+/g) ?? []],
  ])('keeps every entry of concurrent installs (%s)', async (client, file, namesIn) => {
    const names = Array.from({ length: 6 }, (_, index) => `server${index}`)
    const codes = await Promise.all(names.map((name) => start(client, '--name', name, ...url)))
    expect(codes).toEqual(names.map(() => 0))
    expect([...namesIn(readFileSync(join(machine.home, file), 'utf8'))].toSorted()).toEqual(names)
    expect(existsSync(join(machine.home, `${file}.lock`))).toBe(false)
  })

  test('is written although a crashed program left its lock', async () => {
    const file = machine.write('.cursor/mcp.json', '{}\n')
    mkdirSync(`${file}.lock`)
    const old = new Date(Date.now() - 60_000)
    utimesSync(`${file}.lock`, old, old)
    expect(machine.install('cursor', ...url).code).toBe(0)
    expect(readFileSync(file, 'utf8')).toContain('"words"')
  })

  test.each([
    ['cursor', '.cursor/mcp.json', '{\n  "mcpServers": { "a": { "command": "C:\\\\Jos\xe9" } }\n}\n', '2:45'],
    ['codex', '.codex/config.toml', '[mcp_servers.a]\ncommand = "Jos\xe9"\n', '2:15'],
  ])('is not changed if it is not UTF-8 (%s)', (client, path, text, position) => {
    const file = machine.write(path, '')
    const bytes = Buffer.from(text, 'latin1')
    writeFileSync(file, bytes)
    const { code, stderr } = machine.install(client, ...url)
    expect([code, stderr]).toEqual([
      1,
      `${file}:${position}: the file is not UTF-8. The file was not changed. Correct it, then run the command again.\n`,
    ])
    expect(readFileSync(file)).toEqual(bytes)
  })

  test.each(['constructor', 'toString', 'valueOf', 'hasOwnProperty'])('takes a server with the name %s', (name) => {
    for (const client of ['cursor', 'codex']) {
      expect(machine.install(client, '--name', name, ...url)).toMatchObject({ code: 0, stderr: '' })
      expect(machine.install(client, '--name', name, ...url).stdout).toContain('Nothing to change.')
      expect(machine.install(client, '--name', name, '--remove', '--yes').stdout).toContain(`Removed ${name}`)
    }
  })

  test('stays behind its link when the last server is removed', () => {
    const target = machine.write('dotfiles/cursor.json', '{}\n')
    const link = join(machine.home, '.cursor/mcp.json')
    mkdirSync(join(machine.home, '.cursor'))
    symlinkSync(target, link)
    machine.install('cursor', ...url)
    writeFileSync(target, readFileSync(target, 'utf8').replace('3000', '4000'))
    expect(machine.install('cursor', '--remove', '--yes').code).toBe(0)
    expect(lstatSync(link).isSymbolicLink()).toBe(true)
    expect(JSON.parse(readFileSync(target, 'utf8'))).toEqual({})
  })

  test('is created where a dangling link points', () => {
    const link = join(machine.home, '.cursor/mcp.json')
    mkdirSync(join(machine.home, '.cursor'))
    symlinkSync('../dotfiles/cursor.json', link)
    expect(machine.install('cursor', ...url).code).toBe(0)
    expect(lstatSync(link).isSymbolicLink()).toBe(true)
    expect(readFileSync(join(machine.home, 'dotfiles/cursor.json'), 'utf8')).toContain('"words"')
  })

  test('is not changed if it is read-only', () => {
    const file = machine.write('.cursor/mcp.json', '{}\n')
    chmodSync(file, 0o444)
    const { code, stderr } = machine.install('cursor', ...url)
    expect([code, stderr]).toEqual([1, `${file} is read-only. Make it writable, then run the command again.\n`])
    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual(['{}\n', 0o444])
  })

  test('is shown without the secrets in arguments', () => {
    const command = 'node dist/main.js --stdio --api-key sk-live-123 -p hunter2 --token=abc --port 8080'
    for (const client of ['cursor', 'codex']) {
      const { stdout } = machine.install(client, '--stdio', command, '--dry-run')
      expect(stdout).not.toMatch(/sk-live|hunter2|abc/)
      expect(stdout).toContain('8080')
    }
  })
})

describe('an installed command', () => {
  const entry = ['cursor', 'dist/main.js', '--yes'] as const

  test('is started first: without its variables, nothing is written', () => {
    machine.write('project/.env.example', 'STATION=\n')
    const { code, stderr } = machine.install(...entry)
    expect(code).toBe(2)
    expect(stderr).toContain('The server did not start, so nothing was written')
    expect(stderr).toContain('STATION is not set')
    expect(stderr).toContain('Pass its variables: --env STATION=…')
    expect(existsSync(join(machine.home, '.cursor/mcp.json'))).toBe(false)
    expect(machine.install(...entry, '--env', 'STATION=Lisbon').stdout).toContain('Added words to Cursor')
    expect(machine.install(...entry, '--name', 'other', '--no-start').stdout).toContain('Added other to Cursor')
  })

  test('reads the settings of its project', () => {
    machine.write('project/.env.example', 'STATION=\n')
    const settings = machine.write('project/.env', 'STATION=Porto\n')
    expect(machine.install(...entry).stdout).toContain('Added words to Cursor')
    const { mcpServers } = JSON.parse(readFileSync(join(machine.home, '.cursor/mcp.json'), 'utf8'))
    expect(mcpServers.words.args[0]).toBe(`--env-file=${settings}`)
  })

  test('is reported if it lists no tools', () => {
    const { code, stderr } = machine.install(...entry, '--env', 'STATION=none')
    expect([code, stderr]).toEqual([
      0,
      'The server started, but lists no tools to this client. `toolwright explain` shows the reasons.\n',
    ])
  })
})
