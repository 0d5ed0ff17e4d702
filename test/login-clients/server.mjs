import { FileLoginStore, login, oidc } from '@toolwright/login'
import { createHost } from 'toolwright'

const port = 3456
export const url = `http://127.0.0.1:${port}/mcp`

/** Serves a login until `close`. `requests` gets the paths of the requests to the login. */
export async function serve({ provider, file, secret, granted, requests }) {
  const authentication = login({
    url,
    secret,
    provider: oidc(provider.client),
    store: new FileLoginStore(file),
    scopes: ['notes:read', 'notes:write'],
    grant: () => granted,
    // mcp-remote refreshes a minute early.
    accessSeconds: 120,
  })
  const host = await createHost({
    name: 'notes',
    version: '1.0.0',
    controllers: [],
    authentication,
    fastify: { logger: false },
  })
  const who = (_given, { principal }) => `${principal.subject}: ${principal.scopes.join(' ')}`
  host.mcp.catalog.addTool({ name: 'who', handler: who })
  host.mcp.catalog.addTool({ name: 'write', authorize: { scopes: ['notes:write'] }, handler: () => 'written' })
  host.server.prependListener('request', ({ url: path }) => {
    const [found] = /^\/(?:register|authorize|token|revoke)(?=\?|$)/.exec(path) ?? []
    // A client can refresh for two of its requests at once.
    if (found !== undefined && found !== requests.at(-1)) requests.push(found)
  })
  await host.listen({ port, host: '127.0.0.1' })
  return host
}
