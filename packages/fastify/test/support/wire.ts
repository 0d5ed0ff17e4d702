// Raw requests, without a client library: the tests check the bytes on the wire.
import type { AddedTool, McpContext, ServerOptions } from '@toolwright/core'
import { type RunningServer, runningServer, type Session } from '@toolwright/core/transport'
import { type MountOptions, mcp } from '@toolwright/fastify'
import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'

export { createGate, type Gate } from '../../../../test/support/gate.js'
export { until } from '../../../../test/support/until.js'

export const modernVersion = '2026-07-28'
export const legacyVersions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const

/** A tool with untyped arguments, because the tests send values that no type allows. */
export interface WireTool extends Omit<AddedTool, 'handler'> {
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly handler: (args: any, context: McpContext) => unknown
}

export interface AppOptions extends Partial<ServerOptions>, MountOptions {
  readonly tools?: readonly WireTool[]
  readonly fastify?: FastifyServerOptions
}

const apps: FastifyInstance[] = []

/** An application that serves these tools at `/mcp`. `closeApps` ends it. */
export async function openApp({ tools = [], fastify = {}, ...options }: AppOptions = {}): Promise<FastifyInstance> {
  const app = Fastify({ logger: false, ...fastify })
  apps.push(app)
  await app.register(mcp, { name: 'wire', version: '1.0.0', controllers: [], ...options })
  for (const tool of tools) app.mcp.catalog.addTool(tool)
  return app
}

export async function closeApps(): Promise<void> {
  await Promise.all(apps.splice(0).map((app) => app.close()))
}

/**
 * Listens on 127.0.0.1 and returns the port, for tests that cannot use injection: sockets that break, bodies in pieces.
 */
export async function listen(app: FastifyInstance): Promise<number> {
  await app.listen({ host: '127.0.0.1', port: 0 })
  return (app.server.address() as { port: number }).port
}

export interface Message {
  readonly jsonrpc: '2.0'
  readonly id?: number | string
  readonly method: string
  readonly params?: Readonly<Record<string, unknown>>
}

export type HeaderValues = Readonly<Record<string, string | undefined>>

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
  /** The parsed body; `undefined` when it is empty or invalid JSON. */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly json: any
}

export const metaKeys = {
  version: 'io.modelcontextprotocol/protocolVersion',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  client: 'io.modelcontextprotocol/clientInfo',
  logLevel: 'io.modelcontextprotocol/logLevel',
  server: 'io.modelcontextprotocol/serverInfo',
} as const

/** Members of every modern result of {@link openApp} with the server information. */
export const serverMeta = { [metaKeys.server]: { name: 'wire', version: '1.0.0' } }

export function legacy(method: string, params?: Message['params'], id: number | string = 1): Message {
  return { jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) }
}

export function modern(method: string, params: Message['params'] = {}, meta: object = {}): Message {
  const _meta = {
    [metaKeys.version]: modernVersion,
    [metaKeys.capabilities]: {},
    ...(params['_meta'] as object),
    ...meta,
  }
  return { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }
}

export function call(name: string, args: object = {}): Message['params'] {
  return { name, arguments: args }
}

export function initialize(protocolVersion: string, params: object = {}): Message {
  return legacy('initialize', {
    protocolVersion,
    capabilities: {},
    clientInfo: { name: 'raw', version: '0.0.0' },
    ...params,
  })
}

/** The headers that a modern client derives from its message. */
export function headersOf({ method, params = {} }: Message): Record<string, string> {
  const meta = (params['_meta'] ?? {}) as Record<string, unknown>
  const name = method === 'resources/read' ? params['uri'] : params['name']
  return {
    'mcp-protocol-version': String(meta[metaKeys.version]),
    'mcp-method': method,
    ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
  }
}

/** Posts an unchanged body. A header that is `undefined` is omitted. */
export async function post(app: FastifyInstance, body: unknown, headers: HeaderValues = {}): Promise<Reply> {
  const payload = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
  const sent: HeaderValues = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...headers,
  }
  const present = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined))
  const response = await app.inject({
    method: 'POST',
    url: '/mcp',
    payload,
    headers: present as Record<string, string>,
  })
  return {
    status: response.statusCode,
    headers: response.headers,
    text: response.body,
    json: parse(response.body),
  }
}

/** Posts a modern message with the headers that belong to it. */
export function postModern(app: FastifyInstance, message: Message, headers: HeaderValues = {}): Promise<Reply> {
  return post(app, message, { ...headersOf(message), ...headers })
}

/** The messages of an event stream, in order. */
// oxlint-disable-next-line typescript/no-explicit-any
export function eventsOf(text: string): any[] {
  const data = text.split('\n\n').map((event) => /^data: (.*)$/m.exec(event)?.[1] ?? '')
  // An event without data only has a position.
  return data.filter((json) => json !== '').map((json) => JSON.parse(json) as unknown)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The internal sessions of an application, which only its transports use. */
export function sessionsOf(app: FastifyInstance): RunningServer['sessions'] {
  return runningServer(app.mcp).sessions
}

/** This node's state of a session, if the store responds synchronously. */
export function sessionOf(app: FastifyInstance, sessionId: string): Session | undefined {
  return sessionsOf(app).find(sessionId, null) as Session | undefined
}

export function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds)
  })
}
