import { runCommand } from '../run-command.js'
import { listOf, RawServer } from '../support/raw-server.js'

/** Clears the screen, sets the title, and reverses text, in C0, C1 and Unicode. */
const hostile = '\u001B[2Jboom\u001B]0;title\u0007\u009B31m\u202Ex'

/** Control characters other than line ends, and characters that reverse text. */
const unsafe = /[^\P{Cc}\n]|[\u202A-\u202E\u2066-\u2069]/u

let server: RawServer

afterEach(() => server.close())

const call = (...args: readonly string[]) => runCommand(['call', server.url, ...args, '--era', 'legacy'])

describe('toolwright call prints no control characters of a server', () => {
  it('in the message of a tool that failed', async () => {
    const content = [{ type: 'text', text: `${hostile}\nsecond line` }]
    server = await RawServer.start({
      'tools/list': listOf('fails'),
      'tools/call': () => ({ isError: true, content }),
    })
    const { code, stderr } = await call('fails')
    expect(code).toBe(1)
    expect(stderr).toMatch(/boom.*\nsecond line\n$/)
    expect(stderr).not.toMatch(unsafe)
  })

  it('in the names and values of arguments', async () => {
    const properties = { [`level${hostile}`]: { type: 'string' }, kind: { enum: [hostile] } }
    const schema = { type: 'object', properties, required: [`level${hostile}`] }
    server = await RawServer.start({ 'tools/list': listOf('fails', schema) })
    const [unknown, missing, value] = [
      await call('fails', '--x', '1'),
      await call('fails'),
      await call('fails', '--kind', 'x'),
    ]
    expect(unknown.stderr).toMatch(/^Unknown argument --x\. The arguments are --level/)
    expect(missing.stderr).toMatch(/^Missing arguments of fails:\n/)
    expect(value.stderr).toMatch(/^--kind is 'x': it must be one of/)
    for (const { code, stderr } of [unknown, missing, value]) {
      expect(code).toBe(64)
      expect(stderr).not.toMatch(unsafe)
    }
  })

  it('with --json, without a change of the JSON', async () => {
    const content = [{ type: 'text', text: hostile }]
    server = await RawServer.start({ 'tools/list': listOf('shows'), 'tools/call': () => ({ content }) })
    const { stdout } = await call('shows', '--json')
    expect(stdout).not.toMatch(unsafe)
    expect(JSON.parse(stdout)).toMatchObject({ content })
  })
})
