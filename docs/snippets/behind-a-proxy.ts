// #region options
import { createHost } from 'toolwright'
import { ForecastTools } from './validate-arguments.js'

export const createPublicHost = () =>
  createHost({
    name: 'weather',
    version: '1.0.0',
    controllers: [ForecastTools],
    allowedHosts: ['mcp.example.com', '127.0.0.1'],
    allowedOrigins: ['https://app.example.com'],
    fastify: { trustProxy: ['loopback', '10.0.0.0/8'] },
  })
// #endregion

export async function createNode() {
  const host = await createHost({
    name: 'weather',
    version: '1.0.0',
    controllers: [ForecastTools],
    sessions: false,
  })
  return host
}
