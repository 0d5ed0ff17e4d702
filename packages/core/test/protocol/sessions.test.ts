import type { McpServer, Principal } from '@toolwright/core'
import { TestExchange } from '../../../../test/support/exchange.js'
import { serve } from './client.js'

const principal = (subject: string): Principal => ({ subject, roles: [], scopes: [], claims: {} })

/** One HTTP request of a caller, as an authenticating transport passes it on. */
function receive(server: McpServer, caller: Principal | null, message: object, session?: string) {
  return TestExchange.receive(server, {
    message: { jsonrpc: '2.0', ...message },
    headers: session === undefined ? {} : { 'mcp-session-id': session },
    principal: caller,
    log: server.log,
    opensSessions: true,
  })
}

async function open(server: McpServer, caller: Principal | null): Promise<string> {
  const clientInfo = { name: 'raw', version: '1' }
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
  const { sessionId } = await receive(server, caller, { id: 1, method: 'initialize', params })
  return sessionId as string
}

describe('a session', () => {
  it('is usable by its owner, and unknown to all other callers', async () => {
    const server = await serve()
    const session = await open(server, principal('ada'))
    const ping = { id: 1, method: 'ping' }

    // A new token of the same caller creates a new object.
    const own = await receive(server, principal('ada'), ping, session)
    const others = [
      await receive(server, principal('bob'), ping, session),
      await receive(server, principal(''), ping, session),
      await receive(server, null, ping, session),
    ]
    const unknown = await receive(server, principal('ada'), ping, 'unknown')

    expect(own.status).toBe(200)
    expect(unknown.status).toBe(404)
    expect(others).toStrictEqual([unknown, unknown, unknown])
  })

  it('of an anonymous caller is unknown to authenticated callers', async () => {
    const server = await serve()
    const session = await open(server, null)

    expect((await receive(server, null, { id: 1, method: 'ping' }, session)).status).toBe(200)
    expect((await receive(server, principal('ada'), { id: 1, method: 'ping' }, session)).status).toBe(404)
  })

  it('does not let another caller cancel its calls', async () => {
    let aborted = 0
    const server = await serve([
      {
        name: 'wait',
        timeoutMs: 20,
        handler: (_args, { signal }) => {
          signal.addEventListener('abort', () => {
            aborted += (signal.reason as Error).name === 'AbortError' ? 1 : 0
          })
          return new Promise(() => undefined)
        },
      },
    ])
    const session = await open(server, principal('ada'))
    const waiting = receive(
      server,
      principal('ada'),
      { id: 1, method: 'tools/call', params: { name: 'wait' } },
      session,
    )
    const cancel = { method: 'notifications/cancelled', params: { requestId: 1 } }

    expect((await receive(server, principal('bob'), cancel, session)).status).toBe(404)
    expect((await waiting).status).toBe(200)
    expect(aborted).toBe(0)
  })
})
