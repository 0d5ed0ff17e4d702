import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../fixtures/many-listeners.mjs', import.meta.url))

it('many calls can share one signal, and a call can listen and ask often, without a leak warning of Node', () => {
  const { stdout, stderr } = spawnSync(process.execPath, [program], { encoding: 'utf8' })

  expect(stderr).toBe('')
  expect(stdout).toBe('rejected answered\n')
})
