import { join } from 'node:path'
import { root, runCommand, sampleProgram } from './run-command.js'

const sample = join(sampleProgram('calculator'), '..', '..')

it('toolwright explain prints the report of the sources in the folder, as text and as JSON', async () => {
  const [text, json] = await Promise.all([
    runCommand(['explain'], { cwd: sample }),
    runCommand(['explain', 'dist/main.js', '--json'], { cwd: sample }),
  ])
  expect(text.stdout).toMatch(/^Tools served: 6\n {2}tool .*\n {2}add_numbers +ArithmeticTools\.add +arguments +a, b/)
  expect(text.stdout).toContain('\n  src/tools/prime-tools.ts       PrimeTools\n')
  expect(text.code).toBe(0)
  const { tools } = JSON.parse(json.stdout) as { tools: object[] }
  expect(tools[0]).toEqual({
    name: 'add_numbers',
    from: 'ArithmeticTools.add',
    parameters: ['arguments'],
    tags: [],
    enabled: 'yes',
    transports: null,
    input: 'a, b',
    output: 'object',
  })
})

it('toolwright explain prints the problems of a project as the framework does, and ends with 1', async () => {
  const { code, stdout, stderr } = await runCommand(['explain', 'broken/main.ts'], {
    cwd: join(root, 'docs', 'snippets'),
  })
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^The server cannot start: 5 problems found\.\n {2}1\. NoteTools\.write: /)
  expect(stderr.trimEnd().split('\n')).toHaveLength(6)
})

it('toolwright explain names the files that it looked for', async () => {
  const { code, stderr } = await runCommand(['explain'], { cwd: join(root, 'docs') })
  expect(code).toBe(64)
  expect(stderr).toContain(`No entry file was found in ${join(root, 'docs')}: tried src/main.ts`)
})
