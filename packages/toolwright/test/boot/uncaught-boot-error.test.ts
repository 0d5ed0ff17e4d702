import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'

const program = join(__dirname, '..', 'fixtures', 'failing', 'main.mjs')

function run(env: Readonly<Record<string, string>>): { code: number | null; stdout: string; stderr: string } {
  const { status: code, stdout, stderr } = spawnSync(process.execPath, [program], { env: { ...process.env, ...env } })
  return { code, stdout: stdout.toString(), stderr: stderr.toString() }
}

const wrong = JSON.stringify({ pageSize: 0 })

describe('serve that cannot start', () => {
  it('prints each mistake and nothing else, and exits with 1', () => {
    const { code, stderr } = run({ PORT: '0', OPTIONS: wrong })

    expect(code).toBe(1)
    expect(stderr).toMatch(
      /^BootError: The server cannot start: 1 problem found\.\n {2}1\. pageSize .* \[bad-option\]\n$/,
    )
  })

  it('prints that the port is in use, and exits with 1', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const { code, stderr } = run({ PORT: String(port) })
    other.close()

    expect(code).toBe(1)
    expect(stderr).toBe(
      'BootError: The server cannot start: 1 problem found.\n' +
        `  1. PORT ${port} of 127.0.0.1 is in use. Stop the program that uses it, or choose another PORT. [bad-option]\n`,
    )
  })

  it('prints the stack of a constructor that failed', () => {
    const { code, stderr } = run({ PORT: '0', BREAKS: 'yes' })

    expect(code).toBe(1)
    expect(stderr).toMatch(/\[constructor-failed\]\n\nError: no database\n\s+at new BrokenTools/)
  })

  it('leaves the error to a program that catches it', () => {
    expect(run({ PORT: '0', OPTIONS: wrong, CATCHES: 'yes' })).toEqual({
      code: 0,
      stdout: 'caught a BootError\n',
      stderr: '',
    })
  })
})
