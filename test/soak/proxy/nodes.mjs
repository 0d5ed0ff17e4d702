// Samples as nodes behind a proxy: each has a separate address, and all have one port, like containers of one service.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { freePort, startNameServer, startNginx } from './nginx.mjs'

/** Runs a function with nodes of a sample behind nginx, and ends them. */
export async function behindProxy(sample, options, run) {
  const service = await startService(sample, options)
  try {
    await run(service)
  } finally {
    await service.stop()
  }
}

/** `start` adds a node unknown to nginx; `announce` sets the announced nodes. */
async function startService(sample, { count = 2, env = {} }) {
  const port = await freePort()
  const nodes = []
  const start = async () => {
    const node = await startNode(sample, `127.0.0.${nodes.length + 2}`, { ...env, PORT: String(port) })
    nodes.push(node)
    return node
  }
  for (let index = 0; index < count; index++) await start()
  const dns = await startNameServer(nodes.map(({ address }) => address))
  const proxy = await startNginx({ dns, upstreamPort: port })
  return {
    nodes,
    port,
    url: proxy.url,
    start,
    announce: (known) => {
      dns.addresses = known.map(({ address }) => address)
    },
    stop: async () => {
      await Promise.all(nodes.map((node) => node.stop()))
      await proxy.stop()
      dns.stop()
    },
  }
}

async function startNode(sample, address, env) {
  const program = fileURLToPath(new URL(`../../../samples/${sample}/dist/main.js`, import.meta.url))
  const child = spawn(process.execPath, [program], {
    env: { ...process.env, HOST: address, LOG_LEVEL: 'error', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit').then(([code, signal]) => ({ code, signal }))
  let output = ''
  await new Promise((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      output += chunk
      if (output.includes('serving MCP at')) resolve()
    })
    child.once('exit', () => reject(new Error(`${sample} ended: ${output}`)))
  })
  const stop = () => {
    child.kill('SIGTERM')
    return ended
  }
  return { address, child, ended, stop }
}
