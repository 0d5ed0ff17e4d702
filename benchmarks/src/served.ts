import type { FastifyInstance } from 'fastify'
import { answerMessages } from './child.js'

/** What a server's process is told: first what to serve, and then to say how much CPU time it has used. */
export type ServerMessage<Config> = { readonly serve: Config } | { readonly cpu: true }

/** For a server's process: starts what it is told to and says where it listens. */
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
