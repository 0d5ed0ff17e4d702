import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../../fixtures/kept.mjs', import.meta.url))

it('a server stores no more data per tool than it needs', () => {
  const { stdout, status } = spawnSync(process.execPath, ['--expose-gc', program], {
    encoding: 'utf8',
    timeout: 50_000,
  })
  expect(status).toBe(0)
  // Measured: 3.6 KB, and 8 KB when the server stored the sources of both validators.
  expect(Number(stdout)).toBeLessThan(6000)
})
