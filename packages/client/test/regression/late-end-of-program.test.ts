import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '@toolwright/client'
import { until } from '../../../../test/support/until.js'

const program = join(__dirname, '..', 'support', 'moody-program.mjs')

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

test('the end of a program that did not start in time does not end its successor', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'moody-'))
  const file = join(folder, 'pids')
  const pids = (): number[] => readFileSync(file, 'utf8').trim().split('\n').map(Number)
  try {
    const target = { command: process.execPath, args: [program, file] }
    const client = await connect(target, { era: 'legacy', timeoutMs: 2000 })
    await client.call('die').catch(() => undefined)
    expect(await client.call('slow', {}, { timeoutMs: 30_000 })).toBe('start 3')
    expect(client.serverInfo?.name).toBe('moody')
    await client.close()
    await until(() => pids().every((pid) => !isRunning(pid)))
    expect(pids()).toHaveLength(3)
  } finally {
    for (const pid of pids()) if (isRunning(pid)) process.kill(pid, 'SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
}, 60_000)
