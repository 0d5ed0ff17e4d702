import type { FastifyInstance } from 'fastify'
import { answerMessages } from './child.js'

/** Messages to a server's process: first its configuration, then requests for the CPU time that it has used. */
export type ServerMessage<Config> = { readonly serve: Config } | { readonly cpu: true }

/** The answer of a process whose server listens. */
interface Listening {
  readonly url: string
  readonly token?: string
}

/** Starts the configured server in its process, and returns its URL. */
export function serveAsTold<Config>(start: (config: Config) => FastifyInstance | Promise<FastifyInstance>): void {
  answerAsTold<Config>(async (config) => {
    const app = await start(config)
    return { url: `${await app.listen({ port: 0, host: '127.0.0.1' })}/mcp` }
  })
}

/** Starts the configured server in its process, which listens by itself. */
export function answerAsTold<Config>(listen: (config: Config) => Promise<Listening>): void {
  answerMessages(async (message: ServerMessage<Config>) =>
    'cpu' in message ? { cpuMicros: cpuMicros() } : listen(message.serve),
  )
}

function cpuMicros(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}
