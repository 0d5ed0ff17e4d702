import {
  connectInMemory,
  createHost,
  createServer,
  type McpServer,
  type ServerOptions,
  serve,
} from 'toolwright'
import { ForecastTools } from '../validate-arguments.js'

const options: ServerOptions = {
  name: 'weather',
  version: '1.0.0',
  controllers: [ForecastTools],
}

export async function runProgram(): Promise<void> {
  // #region serve
  await serve({
    name: 'weather',
    version: '1.0.0',
    controllers: [ForecastTools],
  })
  // #endregion
}

export async function listen(): Promise<void> {
  // #region host
  const host = await createHost({
    name: 'weather',
    version: '1.0.0',
    controllers: [ForecastTools],
  })
  host.get('/about', () => ({ weather: 'good' }))
  await host.listen({ port: 3000 })
  // #endregion
}

export async function inMemory(): Promise<McpServer> {
  // #region memory
  const server = await createServer(options)
  const client = connectInMemory(server, {
    onMessage: (message) => console.log(message),
  })
  client.send({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  // #endregion
  return server
}
