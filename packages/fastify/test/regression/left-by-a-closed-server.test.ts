import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../fixtures/closed-servers.mjs', import.meta.url))

test('a closed server leaves no timers, sockets and listeners, over any transport', () => {
  const { stdout } = spawnSync(process.execPath, [program], {
    encoding: 'utf8',
    timeout: 60_000,
    env: { ...process.env, NODE_ENV: 'production' },
  })
  const [line = ''] = stdout.trimEnd().split('\n').slice(-1)
  expect(JSON.parse(line)).toEqual({ memory: [], stdio: [], http: [], websocket: [], sse: [] })
})
