import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root, runCommand } from './run-command.js'

const source = `import { serve } from 'toolwright'
const handler = () => process.env.GREETING
const onReady = ({ catalog }) => catalog.addTool({ name: process.env.TOOL_NAME ?? 'unset', handler })
await serve({ name: 'configured', version: '1.0.0', controllers: [], onReady })
`

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolwright-settings-'))
  writeFileSync(join(folder, 'main.mjs'), source)
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
})

afterEach(() => rmSync(folder, { recursive: true }))

it('toolwright runs a project with the settings in its .env, unless the shell sets them', async () => {
  writeFileSync(join(folder, '.env'), 'TOOL_NAME=greet\nGREETING=from the file\n')
  const options = { cwd: folder, env: { GREETING: 'from the shell' } }
  const [explained, called] = await Promise.all([
    runCommand(['explain'], options),
    runCommand(['call', 'greet'], options),
  ])
  expect(explained.stdout).toMatch(/^Tools served: 1\n.*\n {2}greet /)
  expect(called).toMatchObject({ code: 0, stdout: expect.stringContaining('from the shell') as string })
})

it('toolwright runs a project without a .env, and prints nothing about it', async () => {
  const { code, stdout, stderr } = await runCommand(['explain'], { cwd: folder })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/\n {2}unset /)
})
