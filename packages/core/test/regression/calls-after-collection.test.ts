import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../fixtures/calls.mjs', import.meta.url))

it('a collection of garbage between two calls leaves the second as fast as the first', () => {
  const { stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', program], { encoding: 'utf8' })
  expect(stderr).toBe('')
  const ratios = stdout.trim().split('\n').map(Number)

  // 3 to 6 where V8 has thrown away the code, about 1 where it has not.
  expect(ratios).toEqual([expect.any(Number), expect.any(Number)])
  expect(Math.max(...ratios)).toBeLessThan(2.2)
}, 60_000)
