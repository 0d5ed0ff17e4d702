// #region call
import type { FastifyInstance } from 'fastify'
import { createServer, type JsonObject } from 'toolwright'
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

/** @param ask Shows a form to the user. */
export async function order(
  host: FastifyInstance,
  ask: (message: string, schema: object) => Promise<JsonObject | null>,
): Promise<unknown> {
  // #region ask
  const { content } = await host.mcp.callTool(
    'order_pizza',
    { name: 'Margherita' },
    {
      onElicit: async (request) => {
        if (request.mode === 'url') return { action: 'decline' }
        const form = await ask(request.message, request.requestedSchema)
        return form === null
          ? { action: 'cancel' }
          : { action: 'accept', content: form }
      },
      onProgress: ({ progress, total, message }) =>
        process.stderr.write(`${progress}/${total} ${message}\n`),
    },
  )
  // #endregion
  return content
}

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
