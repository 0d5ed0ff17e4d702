// Clients of every transport and era with a given principal, which send exactly the messages of a test.
import { PassThrough } from 'node:stream'
import { connectInMemory, type McpServer, type Principal } from '@toolwright/core'
import { mcp } from '@toolwright/fastify'
import { serveStdio } from '@toolwright/server/stdio'
import type { Lane } from '@toolwright/testing'
import Fastify from 'fastify'
import { modernMeta, type RawMessage } from './raw-client.js'

export interface Caller {
  /** The whole response to a request in the caller's era. */
  request(method: string, params?: object): Promise<RawMessage>
  close(): Promise<void>
}

interface ResultWriter {
  send(message: RawMessage): Promise<RawMessage>
  close(): Promise<void>
}

export async function openCaller(
  server: McpServer,
  { lane, era }: Lane,
  principal: Principal | undefined,
): Promise<Caller> {
  if (lane === 'websocket') throw new Error('`lanes` has no WebSocket')
  const wire = await { 'in-memory': openInMemory, stdio: openStdio, http: openHttp }[lane](server, principal)
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

function openInMemory(server: McpServer, principal: Principal | undefined): ResultWriter {
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

function openStdio(server: McpServer, principal: Principal | undefined): ResultWriter {
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

/** Requests with a header that names their sender. */
async function openHttp(server: McpServer, principal: Principal | undefined): Promise<ResultWriter> {
  const app = Fastify({ forceCloseConnections: true })
  await app.register(mcp, { server, authentication: { authenticate: () => principal ?? null }, allowAnonymous: true })
  const url = new URL('/mcp', await app.listen({ host: '127.0.0.1', port: 0 }))
  let session: Record<string, string> = {}
  const send = async (message: RawMessage): Promise<RawMessage> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(message.params._meta === undefined ? session : modernHeaders(message)),
      },
      body: JSON.stringify(message),
    })
    const id = response.headers.get('mcp-session-id')
    if (id !== null) session = { 'mcp-session-id': id, 'mcp-protocol-version': '2025-11-25' }
    const challenge = response.headers.get('www-authenticate')
    return { ...(JSON.parse(await response.text()) as object), status: response.status, challenge }
  }
  return { send, close: () => app.close() }
}

function modernHeaders({ method, params: { name, uri } }: RawMessage): Record<string, string> {
  const named: string | undefined = name ?? uri
  return {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(named === undefined ? {} : { 'mcp-name': named }),
  }
}
