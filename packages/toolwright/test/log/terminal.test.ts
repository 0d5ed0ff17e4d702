import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { Output } from '../../../../test/support/output.js'

const program = join(__dirname, '..', 'fixtures', 'terminal', 'main.mjs')
const env = { ...process.env, TERM: 'xterm', PORT: '0', HOST: '' }

it('the log is JSON in a pipe', async () => {
  const child = spawn(process.execPath, [program], { env })
  const [line] = await new Output([child.stdout]).match(/^.*Server listening.*$/m)
  child.kill('SIGTERM')
  expect(JSON.parse(line)).toMatchObject({
    level: 30,
    name: 'noticed',
    msg: expect.stringMatching(/^Server listening/),
  })
})

it('the log is readable on a terminal', async () => {
  // Opens a pseudo terminal. `script` is a part of Debian's base system.
  const child = spawn('script', ['-qfec', `exec '${process.execPath}' '${program}'`, '/dev/null'], { env })
  const output = new Output([child.stdout])
  await output.match(/Try it:/)
  child.stdin.end()
  child.kill('SIGTERM')
  const lines = stripVTControlCharacters(output.text)
  expect(lines).toMatch(/^\[\d\d:\d\d:\d\d\] INFO: Server listening at http:/m)
  expect(lines).toMatch(/^\s+token: "\[redacted\]"/m)
})
