import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../../fixtures/kept.mjs', import.meta.url))

it('a server stores no more data per tool than it needs', () => {
  const { stdout, status } = spawnSync(process.execPath, ['--expose-gc', program], {
    encoding: 'utf8',
    timeout: 50_000,
  })
  expect(status).toBe(0)
  // 3.6 KB. With the sources of its two validators, it was 8 KB.
  expect(Number(stdout)).toBeLessThan(6000)
})
