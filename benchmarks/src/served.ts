import type { FastifyInstance } from 'fastify'
import { answerMessages } from './child.js'

/** Messages to a server's process: first its configuration, then requests for the CPU time that it has used. */
export type ServerMessage<Config> = { readonly serve: Config } | { readonly cpu: true }

/** Starts the configured server in its process, and returns its URL. */
export function serveAsTold<Config>(start: (config: Config) => FastifyInstance | Promise<FastifyInstance>): void {
  answerMessages(async (message: ServerMessage<Config>) => {
    if ('cpu' in message) return { cpuMicros: cpuMicros() }
    const app = await start(message.serve)
    return { url: `${await app.listen({ port: 0, host: '127.0.0.1' })}/mcp` }
  })
}

function cpuMicros(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}
