import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../fixtures/ticks.mjs', import.meta.url))

it('a collection of garbage while nothing is queued leaves process.nextTick as fast as it was', () => {
  const ratio = nanosecondsPerTick('collected') / nanosecondsPerTick('fresh')

  // 5 to 6 where V8 has forgotten the shape of what is queued, 1.2 where it has not.
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
