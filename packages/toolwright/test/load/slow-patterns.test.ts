import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { Output } from '../../../../test/support/output.js'

/** Like an installation without development dependencies. */
const withoutRecheck = [
  '--import',
  `data:text/javascript,${encodeURIComponent(
    `import nodeModule from 'node:module'
    const resolve = nodeModule._resolveFilename
    nodeModule._resolveFilename = (name, ...rest) => {
      if (name.startsWith('@toolwright/cli')) throw new Error('not installed')
      return resolve.call(nodeModule, name, ...rest)
    }`,
  )}`,
]

/** Runs a server whose tool has the pattern ^([a-z]+)+$. Over stdio it ends with its input. */
async function run(mode: '--explain' | '--stdio', NODE_ENV: string, ...flags: readonly string[]) {
  const program = join(__dirname, '..', 'fixtures', 'slow-pattern', 'main.mjs')
  const child = spawn(process.execPath, [...flags, program, mode], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_ENV },
  })
  const [stdout, stderr] = [new Output([child.stdout]), new Output([child.stderr])]
  const [code] = (await once(child, 'close')) as [number]
  return { code, stdout: stdout.text, stderr: stderr.text }
}

const finding = "the input of tool 'check', member 'name': the pattern '^([a-z]+)+$' takes exponentially long"
const unchecked =
  'patterns with repeated groups that were not checked: 1. Install @toolwright/cli as a development dependency'

describe('a pattern with exponential backtracking', () => {
  it.each(['development', 'production'])(
    'is not searched for when a server starts, but by --explain: %s',
    async (mode) => {
      const [logged, explained] = [await run('--stdio', mode), await run('--explain', mode)]

      expect(logged).toEqual({ code: 0, stdout: '', stderr: '' })
      expect(explained).toEqual({ code: 0, stdout: expect.stringContaining(finding), stderr: '' })
    },
  )

  it('is not found without @toolwright/cli, and --explain names the package to install', async () => {
    const logged = await run('--stdio', 'development', ...withoutRecheck)
    const explained = await run('--explain', 'development', ...withoutRecheck)

    expect(logged).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(explained).toEqual({ code: 0, stdout: expect.stringContaining(unchecked), stderr: '' })
    expect(explained.stdout).not.toContain(finding)
  })
})
