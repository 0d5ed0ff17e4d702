import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const program = join(__dirname, '..', 'fixtures', 'early', 'main.mjs')

// The boot error of a function that a program calls before `serve` was framed by a line of Node and its version.
describe('boot errors before serve', () => {
  it.each([
    [
      'loadConfig',
      /^ {2}1\. The environment variable WRITER_KEY is not set \(Key of the writer\)\. \[bad-environment\]$/m,
    ],
    ['createServer', /^ {2}1\. pageSize .* \[bad-option\]$/m],
    ['createHost', /^ {2}1\. pageSize .* \[bad-option\]$/m],
  ])('of %s are printed without frames of Node', (step, problem) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [program], {
      env: { ...process.env, STEP: step },
      encoding: 'utf8',
    })
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr).toMatch(problem)
    expect(stderr).toMatch(/^BootError: The server cannot start: [^]*\]\n$/)
    expect(stderr).not.toMatch(/node:internal|Node\.js v/)
  })

  it('leave other errors to Node', () => {
    const { status, stderr } = spawnSync(process.execPath, [program], {
      env: { ...process.env, STEP: 'other' },
      encoding: 'utf8',
    })
    expect(status).toBe(1)
    expect(stderr).toMatch(/Error: no database\n[^]*Node\.js v/)
  })
})
