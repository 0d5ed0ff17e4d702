// Nodes on a Redis Cluster of three shards with replicas while a primary dies and keys move to another shard.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { finish, flags, startLoad, startNodes } from './redis-load.mjs'
import { cli, freePort, REDIS_CLI, startRedis, until, withRedis } from './redis-servers.mjs'

await withRedis(async (folder) => {
  const ports = []
  for (let count = 0; count < 6; count++) ports.push(await freePort())
  const options = (port) => [
    '--cluster-enabled',
    'yes',
    '--cluster-node-timeout',
    '2000',
    '--cluster-config-file',
    `nodes-${port}`,
  ]
  const servers = ports.map((port) => startRedis(folder, port, options(port)))
  await setTimeout(1500)
  const addresses = ports.map((port) => `127.0.0.1:${port}`)
  cli('--cluster', 'create', ...addresses, '--cluster-replicas', '1', '--cluster-yes')
  await until(() => ports.every((port) => cli('-p', port, 'CLUSTER', 'INFO').includes('cluster_state:ok')))
  const nodes = await startNodes({ cluster: { rootNodes: addresses.map((each) => ({ url: `redis://${each}` })) } })
  const load = startLoad(nodes)
  await setTimeout(flags['phase-ms'] / 2)
  const marks = [load.mark('calm')]
  load.harm()
  servers[0].kill('SIGKILL')
  await setTimeout(flags['phase-ms'])
  marks.push(load.mark('failover'))
  const [from, to] = ports.slice(1, 3).map((port) => cli('-p', port, 'CLUSTER', 'MYID').trim())
  const moved = `--cluster-from ${from} --cluster-to ${to} --cluster-slots 2000 --cluster-yes`
  const moving = spawn(REDIS_CLI, ['--cluster', 'reshard', addresses[1], ...moved.split(' ')])
  const [code] = await once(
    moving.on('error', () => undefined).on('spawn', () => moving.stdout.resume()),
    'exit',
  )
  marks.push({ ...load.mark('resharding'), code })
  return finish(load, nodes, marks)
})
