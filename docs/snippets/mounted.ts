import Fastify from 'fastify'
import { mcp } from 'toolwright'
import { ForecastTools } from './validate-arguments.js'

const app = Fastify({ logger: true })
await app.register(mcp, {
  name: 'weather',
  version: '1.0.0',
  controllers: [ForecastTools],
})

app.get('/', () => ({ tools: app.mcp.catalog.tools.all.length }))
await app.listen({ port: 3000 })
