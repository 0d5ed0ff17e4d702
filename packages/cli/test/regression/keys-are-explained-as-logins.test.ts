import { type ChildProcess, spawn } from 'node:child_process'
import { Output } from '../../../../test/support/output.js'
import { runCommand } from '../run-command.js'
import { KeysProject } from '../support/keys-project.js'

let project: KeysProject
let server: ChildProcess
let url: string

beforeAll(async () => {
  project = new KeysProject()
  server = spawn(process.execPath, [project.main], { env: { ...process.env, PORT: '0' } })
  const [, found = ''] = await new Output([server.stdout as never]).match(/serving MCP at (\S+)/)
  url = found
})

afterAll(() => {
  server.kill()
  project.remove()
})

const withKey = (key: string): readonly string[] => ['--header', `x-api-key: ${key}`]

describe('a server with API keys', () => {
  it('is called with its header, and the message for a missing key differs from that for a wrong key', async () => {
    const reader = withKey('a-reader-key-with-more-than-32-letters')
    const [good, none, wrong] = [
      await runCommand(['call', url, 'whoami', ...reader]),
      await runCommand(['list', url]),
      await runCommand(['list', url, ...withKey('wrong')]),
    ]
    expect(good).toEqual({ code: 0, stdout: 'reader notes:read\n', stderr: '' })
    const start = `Cannot connect to ${url}: the server`
    expect(none.stderr).toBe(`${start} requires an API key. Pass --header 'x-api-key: KEY'.\n`)
    expect(wrong.stderr).toBe(`${start} rejected the API key in the header x-api-key.\n`)
    expect([none.code, wrong.code]).toEqual([2, 2])
  })

  it.each(['modern', 'legacy'])('explains a missing scope in words, %s', async (era) => {
    const reader = withKey('a-reader-key-with-more-than-32-letters')
    const { code, stderr } = await runCommand(['call', url, 'write', '--era', era, ...reader])
    expect(stderr).toMatch(/notes:write/)
    expect(stderr).not.toMatch(/jsonrpc|POSTing/)
    expect(code).toBe(2)
  })

  it('has no faults for toolwright doctor', async () => {
    const { code, stdout } = await runCommand(['doctor', url])
    expect(stdout).toMatch(/ok +challenge +status 401: the server requires an API key in the header x-api-key\n/)
    expect(stdout).toMatch(
      /warn +connect +the tools were not checked\n +Fix: Pass --bearer TOKEN or --header, or log in/,
    )
    expect(stdout).not.toMatch(/^ +fail/m)
    expect(code).toBe(0)
  })
})
