// #region call
import type { FastifyInstance } from 'fastify'
import { createServer } from 'toolwright'
import { ForecastTools } from './validate-arguments.js'

export async function callTools(): Promise<unknown[]> {
  const server = await createServer({
    name: 'weather',
    version: '1.0.0',
    controllers: [ForecastTools],
  })

  const { content } = await server.callTool('forecast', { city: 'Lisbon' })
  const rejected = await server.callTool('forecast', { city: '' })
  await server.close()
  return [content, rejected.isError]
}
// #endregion

export async function addRoute(host: FastifyInstance): Promise<void> {
  // #region route
  host.get<{ Params: { city: string } }>(
    '/forecast/:city',
    async ({ params }, reply) => {
      const gone = new AbortController()
      reply.raw.once('close', () => gone.abort())
      const principal = { subject: 'website' }
      return host.mcp.callTool(
        'forecast',
        { city: params.city },
        { principal, signal: gone.signal },
      )
    },
  )
  // #endregion
}
