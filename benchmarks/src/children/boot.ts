import Fastify from 'fastify'
import { createServer, mcp } from 'toolwright'
import { benchmarkControllers } from '../benchmark-tools.js'
import { answerMessages } from '../child.js'

export interface BootFigures {
  readonly bootMs: number
  readonly residentMiB: number
}

/** Boots once, in a fresh process. Then listens, as a server would, and measures its memory. */
answerMessages(async ({ tools }: { tools: number }): Promise<BootFigures> => {
  const controllers = benchmarkControllers(tools - 1)
  const start = performance.now()
  const server = await createServer({ name: 'benchmark', version: '1.0.0', controllers })
  const bootMs = performance.now() - start
  const app = Fastify({ logger: false })
  await app.register(mcp, { server })
  await app.listen({ port: 0, host: '127.0.0.1' })
  return { bootMs, residentMiB: process.memoryUsage.rss() / 1024 / 1024 }
})
