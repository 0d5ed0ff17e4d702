// Nodes on a primary with two replicas and three sentinels: the primary crashes; the next one freezes together with a
// sentinel, like on one host; the third fails over on command.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { finish, flags, startLoad, startNodes } from './redis-load.mjs'
import { cli, freePort, REDIS_SERVER, start, startRedis, until, withRedis } from './redis-servers.mjs'

await withRedis(async (folder) => {
  const ports = [await freePort(), await freePort(), await freePort()]
  const servers = new Map(ports.map((port) => [port, startServer(port)]))
  const sentinelPorts = [await freePort(), await freePort(), await freePort()]
  const sentinels = sentinelPorts.map((port) => startSentinel(port))
  await until(() => cli('-p', ports[0], 'INFO', 'replication').split('state=online').length === 3)
  await until(() => sentinelPorts.every(isComplete))
  const sentinelRootNodes = sentinelPorts.map((port) => ({ host: '127.0.0.1', port }))
  const nodes = await startNodes({ sentinel: { name: 'main', sentinelRootNodes } })
  const load = startLoad(nodes)
  await setTimeout(flags['phase-ms'] / 2)
  const phases = [load.mark('calm')]

  const killed = primary()
  load.harm()
  servers.get(killed).kill('SIGKILL')
  await untilReplaced(killed)
  phases.push(load.mark('the primary is killed'))
  servers.set(killed, startServer(killed, primary()))
  await until(() => cli('-p', primary(), 'INFO', 'replication').split('state=online').length === 3)

  const frozen = primary()
  load.harm()
  sentinels[0].kill('SIGSTOP')
  servers.get(frozen).kill('SIGSTOP')
  await untilReplaced(frozen)
  phases.push(load.mark('the primary and a sentinel freeze'))
  sentinels[0].kill('SIGCONT')
  servers.get(frozen).kill('SIGCONT')
  await until(() => cli('-p', primary(), 'INFO', 'replication').split('state=online').length === 3)
  phases.push(load.mark('these go on'))

  const old = primary()
  load.harm()
  await until(() => cli('-p', sentinelPorts[1], 'SENTINEL', 'FAILOVER', 'main').startsWith('OK'))
  await untilReplaced(old)
  phases.push(load.mark('SENTINEL FAILOVER'))
  return finish(load, nodes, phases)

  function startServer(port, of = ports[0]) {
    return startRedis(folder, port, port === of ? [] : ['--replicaof', '127.0.0.1', of])
  }

  function startSentinel(port) {
    const file = join(folder, `sentinel-${port}.conf`)
    const lines = [
      `port ${port}`,
      'bind 127.0.0.1',
      `sentinel monitor main 127.0.0.1 ${ports[0]} 2`,
      'sentinel down-after-milliseconds main 1000',
      'sentinel failover-timeout main 5000',
    ]
    writeFileSync(file, lines.join('\n'))
    return start(REDIS_SERVER, [file, '--sentinel'])
  }

  function isComplete(port) {
    const state = cli('-p', port, 'SENTINEL', 'MASTER', 'main')
    return state.includes('num-other-sentinels\n2') && state.includes('num-slaves\n2')
  }

  /** The port announced by a sentinel that never freezes. */
  function primary() {
    return Number(cli('-p', sentinelPorts[1], 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'main').split('\n')[1])
  }

  async function untilReplaced(port) {
    await until(() => primary() !== port)
    await setTimeout(flags['phase-ms'])
  }
})
