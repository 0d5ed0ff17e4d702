import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../fixtures/forgotten-requests.mjs', import.meta.url))

test('the last request of a process does not stay reachable with its credentials', () => {
  const { stdout } = spawnSync(process.execPath, ['--expose-gc', program], { encoding: 'utf8', timeout: 60_000 })
  expect(JSON.parse(stdout)).toEqual({ calls: 14, reachable: [] })
})
