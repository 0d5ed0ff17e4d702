import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../../fixtures/ticks.mjs', import.meta.url))

it('a garbage collection while nothing is queued does not slow down process.nextTick', () => {
  const ratio = nanosecondsPerTick('collected') / nanosecondsPerTick('fresh')

  // The ratio is 5 to 6 if V8 has dropped the hidden class of queue items, and 1.2 otherwise.
  expect(ratio).toBeLessThan(3)
})

function nanosecondsPerTick(mode: 'collected' | 'fresh'): number {
  const { stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', program, mode], {
    encoding: 'utf8',
    timeout: 25_000,
  })
  expect(stderr).toBe('')
  return Number(stdout)
}
