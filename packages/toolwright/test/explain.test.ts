import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { Output } from '../../../test/support/output.js'

// Each test starts a process, which takes long on a machine that is busy.
jest.setTimeout(30_000)

interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

async function explain(...parts: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, [join(__dirname, ...parts), '--explain'], {
    // Where it listens to nothing, it is no matter that nobody can.
    env: { ...process.env, PORT: 'none' },
  })
  const stdout = new Output([child.stdout])
  const stderr = new Output([child.stderr])
  const [code] = (await once(child, 'close')) as [number]
  return { code, stdout: stdout.text, stderr: stderr.text }
}

it('prints what a program would serve and ends, without listening', async () => {
  const { code, stdout, stderr } = await explain('fixtures', 'ready', 'main.mjs')
  expect(stdout).toMatch(/^Tools served: 2\n {2}tool .*\n {2}begin +SeasonTools.begin .*\n {2}fetched /m)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
})

it('prints all mistakes of a server that cannot start, and fails', async () => {
  const { code, stdout, stderr } = await explain('fixtures', 'mistakes', 'main.mjs')
  expect(stderr).toContain('The server cannot start: 3 problems found.')
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
})
