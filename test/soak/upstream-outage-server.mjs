// A server in a separate process for `upstream-outage.mjs`: an upstream with one tool, or, with UPSTREAMS, a proxy in front.
import { proxy } from '@toolwright/proxy'
import { createHost } from 'toolwright'

const { PORT: port = '0', UPSTREAMS: upstreams } = process.env
const sources = upstreams === undefined ? [] : [proxy(JSON.parse(upstreams))]
const host = await createHost({
  name: 'soak',
  version: '1.0.0',
  controllers: [],
  fastify: { logger: false },
  sources,
})
if (sources.length === 0) host.mcp.catalog.addTool({ name: 'quick', handler: () => 'done' })
const address = await host.listen({ port: Number(port), host: '127.0.0.1' })
process.on('message', () => process.send({ cpuMicros: process.cpuUsage().user + process.cpuUsage().system }))
process.on('disconnect', () => process.exit())
process.send({ url: `${address}/mcp` })
