import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Output } from '../../../../test/support/output.js'

interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

function start(fixture: string, ...args: readonly string[]) {
  return spawn(process.execPath, [join(__dirname, '..', 'fixtures', fixture, 'main.mjs'), '--explain', ...args], {
    // An unbindable address is no problem for a program that does not listen.
    env: { ...process.env, PORT: 'none' },
  })
}

async function explain(fixture: string, ...args: readonly string[]): Promise<Ended> {
  const child = start(fixture, ...args)
  const stdout = new Output([child.stdout])
  const stderr = new Output([child.stderr])
  const [code] = (await once(child, 'close')) as [number]
  return { code, stdout: stdout.text, stderr: stderr.text }
}

it('--explain prints the features that a program would serve and ends, without listening', async () => {
  const { code, stdout, stderr } = await explain('ready')
  expect(stdout).toMatch(/^Tools served: 2\n {2}tool .*\n {2}begin +SeasonTools.begin .*\n {2}fetched /m)
  // Opened resources are closed.
  expect({ code, stderr }).toEqual({ code: 0, stderr: 'closed\n' })
})

it('--explain prints all mistakes of a server that cannot start, and fails', async () => {
  const { code, stdout, stderr } = await explain('mistakes')
  expect(stderr).toContain('The server cannot start: 3 problems found.')
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
})

it('--explain reports unreachable features, and ends although the program has open handles', async () => {
  const { code, stdout, stderr } = await explain('explained')
  expect(stdout).toMatch(
    /\n\nClosed:\n {2}tool_0, .* and 3980 more: they need an authenticated caller, and there is no auth/,
  )
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
})

it('--explain prints limits that differ from the default only', async () => {
  const [changed, none] = [await explain('explained'), await explain('ready')]
  const limits = ['taskTtlMs is Infinity \\(default: 3600000\\)', 'maxSessions is 50 \\(default: 10000\\)']
  expect(changed.stdout).toMatch(new RegExp(`\n\nLimits:\n  ${limits.join('\n  ')}\n$`))
  expect(none.stdout).not.toContain('Limits')
})

it('--explain --json prints the report as JSON', async () => {
  const { stdout } = await explain('explained', '--json')
  expect(JSON.parse(stdout)).toMatchObject({
    tools: expect.arrayContaining([expect.objectContaining({ name: 'tool_0' })]),
    closed: expect.stringContaining('they need an authenticated caller'),
    limits: { taskTtlMs: 'Infinity', maxSessions: 50 },
  })
})

it('--explain finds mistakes in host-only options', async () => {
  const { code, stdout, stderr } = await explain('explained', '--guessed-key')
  expect(stderr).toContain('apiKeys: keys[0]: the key has fewer than 16 characters and can be guessed.')
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
})

it('--explain prints all of a long report to a slow reader', async () => {
  const child = start('explained')
  // Nothing is read before the listener is added. Long enough for output to be lost.
  await sleep(1000)
  const stdout = new Output([child.stdout])
  await once(child, 'close')
  expect(stdout.text).toContain('tool_3999')
  expect(stdout.text).toContain('\nClosed:\n')
})

it('--explain ends silently when its reader closes the pipe', async () => {
  const child = start('explained')
  const stderr = new Output([child.stderr])
  child.stdout.once('data', () => child.stdout.destroy())
  const [code] = (await once(child, 'close')) as [number]
  expect({ code, stderr: stderr.text }).toEqual({ code: 0, stderr: '' })
})
