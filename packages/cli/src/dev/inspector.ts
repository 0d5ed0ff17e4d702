import { inspector } from '@toolwright/inspector'
import createFastify, { type FastifyInstance } from 'fastify'
import type { McpServer } from 'toolwright'

/**
 * Addresses with an inspector: only those of this machine, because the inspector calls everything without
 * authentication.
 */
const loopback = ['localhost', '127.0.0.1', '::1']

/** Returns the path of the inspector; `null` if the address must not have an inspector. */
export function inspectorPathAt(host: string): string | null {
  return loopback.includes(host) ? '/inspector' : null
}

export async function mountInspector(app: FastifyInstance, path: string, endpoint: string): Promise<void> {
  await app.register(inspector, { server: app.mcp, path, endpoint })
}

/** Creates an application that serves only the inspector, for an application whose hooks could reject its requests. */
export async function createInspector(server: McpServer, path: string, endpoint: string): Promise<FastifyInstance> {
  const app = createFastify()
  await app.register(inspector, { server, path, endpoint })
  await app.ready()
  return app
}
