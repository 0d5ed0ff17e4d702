import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../fixtures/many-listeners.mjs', import.meta.url))

it('many listeners of one signal, and many client requests of one call, cause no leak warning of Node', () => {
  const { stdout, stderr } = spawnSync(process.execPath, [program], { encoding: 'utf8' })

  expect(stderr).toBe('')
  expect(stdout).toBe('rejected answered\n')
})
