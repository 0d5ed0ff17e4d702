// Clients of every transport and era that say who they are, and exactly what a test wants them to say.
import { PassThrough } from 'node:stream'
import { connectInMemory, type McpServer, type Principal } from '@toolwright/core'
import { Exchange } from '@toolwright/core/internal'
import { serveStdio } from '@toolwright/core/stdio'
import type { Lane } from '@toolwright/testing'
import { modernMeta, type RawMessage } from './raw-client.js'

export interface Caller {
  /** The whole answer to a request in the caller's era. */
  request(method: string, params?: object): Promise<RawMessage>
  close(): Promise<void>
}

interface Wire {
  send(message: RawMessage): Promise<RawMessage>
  close(): Promise<void>
}

export async function openCaller(
  server: McpServer,
  { lane, era }: Lane,
  principal: Principal | undefined,
): Promise<Caller> {
  const wire = { 'in-memory': openInMemory, stdio: openStdio, http: openHttp }[lane](server, principal)
  let lastId = 0
  const request = (method: string, params: object = {}): Promise<RawMessage> => {
    const own = era === 'modern' ? { ...params, _meta: modernMeta({}) } : params
    return wire.send({ jsonrpc: '2.0', id: ++lastId, method, params: own })
  }
  if (era === 'legacy') {
    const clientInfo = { name: 'raw', version: '1' }
    await request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })
  }
  return { request, close: () => wire.close() }
}

function openInMemory(server: McpServer, principal: Principal | undefined): Wire {
  const waiting = new Map<number, (message: RawMessage) => void>()
  const client = connectInMemory(server, {
    ...(principal === undefined ? {} : { principal }),
    onMessage: (message: RawMessage) => waiting.get(message.id)?.(message),
  })
  return {
    send: (message) =>
      new Promise((resolve) => {
        waiting.set(message.id, resolve)
        client.send(message)
      }),
    close: () => client.close(),
  }
}

function openStdio(server: McpServer, principal: Principal | undefined): Wire {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const served = serveStdio(server, { input, output, drainMs: 0, ...(principal === undefined ? {} : { principal }) })
  const waiting = new Map<number, (message: RawMessage) => void>()
  let text = ''
  output.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (text + chunk).split('\n')
    text = lines.pop() ?? ''
    for (const line of lines) {
      const message: RawMessage = JSON.parse(line)
      waiting.get(message.id)?.(message)
    }
  })
  return {
    send: (message) =>
      new Promise((resolve) => {
        waiting.set(message.id, resolve)
        input.write(`${JSON.stringify(message)}\n`)
      }),
    close: async () => {
      input.end()
      await served
    },
  }
}

/** What the HTTP transport hands over when it has found out who calls. */
function openHttp(server: McpServer, principal: Principal | undefined): Wire {
  let session: string | undefined
  const send = async (message: RawMessage): Promise<RawMessage> => {
    const { name, uri } = message.params
    const isModern = message.params._meta !== undefined
    const headers = isModern
      ? { 'mcp-protocol-version': '2026-07-28', 'mcp-method': message.method, 'mcp-name': name ?? uri }
      : { 'mcp-protocol-version': session && '2025-11-25', 'mcp-session-id': session }
    const exchange = new Exchange({
      message,
      headers,
      principal: principal ?? null,
      log: server.log,
      peer: null,
      sessions: server.sessions,
      notify: () => undefined,
    })
    const { body, sessionId, status } = await server.receive(exchange)
    session ??= sessionId
    return { ...JSON.parse(String(body)), status }
  }
  return { send, close: async () => undefined }
}
