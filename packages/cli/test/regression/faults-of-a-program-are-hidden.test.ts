import { join } from 'node:path'
import { runCommand } from '../run-command.js'

const program = join(__dirname, '..', 'support', 'raw-program.mjs')

/** Calls a tool of the program over stdio. */
const call = (mode: string, ...args: readonly string[]) =>
  runCommand(['call', ...args, '--era', 'legacy', '--', process.execPath, program, mode])

describe('toolwright call of a program over stdio', () => {
  it('receives a result of more than 10 MB', async () => {
    const { code, stdout } = await call('big', 'run')
    expect([code, stdout.length]).toEqual([0, 11 * 2 ** 20 + 1])
  })

  it('shows the exit code and the error output of a program that ends during the call', async () => {
    const { code, stderr } = await call('dies', 'run')
    expect(stderr).toBe('The request failed: the server ended with code 7 before its response.\n\nout of paper\n')
    expect(code).toBe(2)
  })

  it('names text on stdout as a possible cause of a timeout', async () => {
    const { code, stderr } = await call('noise', 'run', '--timeout', '1')
    expect(stderr).toContain('Does the server print text to stdout? stdout is for messages only')
    expect(code).toBe(2)
  })

  it.each(['notes.js', '-dash'])('calls a tool named %s', async (name) => {
    expect(await call('plain', name)).toEqual({ code: 0, stdout: `called ${name}\n`, stderr: '' })
  })

  it('prints progress to stderr without a terminal', async () => {
    expect(await call('progress', 'run')).toEqual({
      code: 0,
      stdout: 'called run\n',
      stderr: '1 of 2 one\n2 of 2\n',
    })
  })
})
