import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../fixtures/kept.mjs', import.meta.url))

it('a server keeps no more of a tool than it needs to serve it', () => {
  const { stdout, status } = spawnSync(process.execPath, ['--expose-gc', program], {
    encoding: 'utf8',
    timeout: 50_000,
  })
  expect(status).toBe(0)
  // 3.6 KB. With the texts that its two validators were compiled from, it was 8 KB.
  expect(Number(stdout)).toBeLessThan(6000)
})
