import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../fixtures/many-listeners.mjs', import.meta.url))

it('many calls may have one signal, and a call may listen and ask often: Node warns of no leak', () => {
  const { stdout, stderr } = spawnSync(process.execPath, [program], { encoding: 'utf8' })

  expect(stderr).toBe('')
  expect(stdout).toBe('rejected answered\n')
})
