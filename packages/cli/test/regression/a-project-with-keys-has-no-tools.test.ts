import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { program, runCommand } from '../run-command.js'
import { KeysProject } from '../support/keys-project.js'

let project: KeysProject

beforeEach(() => {
  project = new KeysProject()
})

afterEach(() => project.remove())

const run = (args: readonly string[], env: Record<string, string> = {}) =>
  runCommand(args, { cwd: project.folder, env })

const reason =
  'whoami, write: they need an authenticated caller, and stdio does not authenticate callers. Pass a principal to serveStdio'
const advice = `pass --as '{"subject":"ann","roles":["Admin"],"scopes":["notes:read"]}'`
const ann = '{"subject":"ann","scopes":["notes:write"]}'

describe('a project whose tools need a known caller', () => {
  it('lists nothing, and says why and what to pass', async () => {
    const { code, stdout, stderr } = await run(['list'])
    expect(stdout).toBe('notes 1.0.0, revision 2026-07-28\n')
    expect(stderr).toContain('The server lists no tools.\n')
    expect(stderr).toContain(reason)
    expect(stderr).toContain(advice)
    expect(code).toBe(0)
  })

  it('says the same for the call of a tool, and for types, which write nothing', async () => {
    const out = join(project.folder, 'tools.ts')
    const [called, typed] = [await run(['call', 'write']), await run(['types', '--out', out])]
    expect(called.stderr).toContain("The server has no tool 'write'. It lists no tools.\n")
    for (const { stderr } of [called, typed]) {
      expect(stderr).toContain(reason)
      expect(stderr).toContain(advice)
    }
    expect([called.code, typed.code]).toEqual([64, 1])
    expect(existsSync(out)).toBe(false)
  })

  it('serves the caller of --as', async () => {
    const [listed, called, typed] = [
      await run(['list', '--as', ann]),
      await run(['call', 'write', '--as', ann]),
      await run(['types', '--as', ann]),
    ]
    expect(listed.stdout).toMatch(/\nTools: 2\n[^]*whoami[^]*write/)
    expect(called).toEqual({ code: 0, stdout: 'ann notes:write\n', stderr: '' })
    expect(typed.stdout).toContain('write: {')
  })

  it('serves the caller of the option stdio, unless --as names another', async () => {
    const env = { LOCAL_USER: 'owner' }
    const [own, other] = [await run(['call', 'whoami'], env), await run(['call', 'whoami', '--as', ann], env)]
    expect([own.stdout, other.stdout]).toEqual(['owner \n', 'ann notes:write\n'])
  })

  it('serves the caller of the option stdio under toolwright dev', async () => {
    const server = ['--', process.execPath, program, 'dev', '--stdio']
    const { stdout } = await run(['call', 'whoami', ...server], { LOCAL_USER: 'owner' })
    expect(stdout).toBe('owner \n')
  })

  it.each([
    ['ann', "--as is 'ann'. Give JSON with a subject"],
    ['{"roles":["Admin"]}', 'Give JSON with a subject'],
    [
      '{"subject":"ann","roles":"Admin"}',
      "--as: the roles of the caller are the string 'Admin'. Give an array. [bad-option]\n",
    ],
  ])('rejects the caller %s', async (caller, message) => {
    const { code, stderr } = await run(['list', '--as', caller])
    expect(stderr).toContain(message)
    expect(code).not.toBe(0)
  })

  it('rejects --as for a server elsewhere', async () => {
    const { code, stderr } = await run(['list', 'http://127.0.0.1:1/mcp', '--as', ann])
    expect([code, stderr]).toEqual([64, expect.stringMatching(/^--as is for a project\./)])
  })

  it('reports a wrong option stdio at the start', async () => {
    const { code, stderr } = await run(['call', 'whoami'], { LOCAL_USER: '' })
    expect(stderr).toContain('stdio.principal: the subject of the caller is')
    expect(code).toBe(2)
  })
})

it('toolwright explain prints who can use which features', async () => {
  const [text, json] = [await run(['explain']), await run(['explain', '--json'])]
  expect(text.stdout).toMatch(/\n\nAccess:\n {2}kind +feature +anonymous +authenticated +notes:write\n/)
  expect(text.stdout).toMatch(/\n {2}tool +write +hidden +needs step-up +callable\n/)
  const { access } = JSON.parse(json.stdout) as { access: { rows: object[] } }
  expect(access.rows).toContainEqual({
    kind: 'tool',
    name: 'whoami',
    access: { anonymous: 'hidden', authenticated: 'callable', 'notes:write': 'callable' },
  })
})

it('toolwright doctor names the reason and the fix for an empty list, and checks the port of the .env', async () => {
  project.writeSettings('PORT=0\n')
  const [empty, full] = [await run(['doctor']), await run(['doctor', '--as', ann])]
  expect(empty.stdout).toMatch(
    /warn +tools +the server lists no tools: whoami, write: they need an authenticated caller/,
  )
  expect(empty.stdout).toContain(`Fix: To call as a user, ${advice}`)
  expect(empty.stdout).toMatch(/ok +port +any free port/)
  expect(full.stdout).toMatch(/ok +descriptions/)
})

it('commands in a subfolder read the .env of the project', async () => {
  project.writeSettings('LOCAL_USER=from the file\n')
  const { stdout } = await runCommand(['call', 'whoami'], { cwd: join(project.folder, 'src') })
  expect(stdout).toBe('from the file \n')
})
