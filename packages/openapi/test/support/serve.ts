import type { CallToolResult, ServerOptions } from '@toolwright/core'
import { type OpenApiOptions, openApi } from '@toolwright/openapi'
import { type ConnectOptions, connect, type TestConnection } from '@toolwright/testing'
import { pino } from 'pino'
import type { Api } from './api.js'

/** Parts of an operation that a test needs. */
export type TestOperation = Record<string, unknown>

/** Returns a document of OpenAPI 3.1 with the given paths. */
export function documentOf(
  paths: Record<string, unknown>,
  more: Record<string, unknown> = {},
): Record<string, unknown> {
  return { openapi: '3.1.0', info: { title: 'Test', version: '1' }, paths, ...more }
}

/** Returns a document with one operation, `call`. */
export function operationOf(operation: TestOperation, path = '/things', method = 'get'): Record<string, unknown> {
  return documentOf({ [path]: { [method]: { operationId: 'call', responses: {}, ...operation } } })
}

export interface Served extends TestConnection {
  call(name: string, args?: Record<string, unknown>): Promise<CallToolResult>
  /** Calls a tool, and returns its text. */
  text(name: string, args?: Record<string, unknown>): Promise<string>
}

export const quiet = { name: 'test', version: '1.0.0', logger: pino({ level: 'silent' }) }

/** Serves a document, and connects the official client. */
export async function serveDocument(
  options: Partial<OpenApiOptions> & Pick<OpenApiOptions, 'document'>,
  api: Pick<Api, 'url'> | null,
  connecting: ConnectOptions = {},
  server: Partial<ServerOptions> = {},
): Promise<Served> {
  const base = api === null ? {} : { baseUrl: api.url, allowPrivate: ['127.0.0.1'] }
  const source = openApi({ auth: 'none', timeoutMs: 5000, ...base, ...options })
  const connection = await connect({ ...quiet, sources: [source], ...server }, connecting)
  const call = async (name: string, args: Record<string, unknown> = {}): Promise<CallToolResult> =>
    await connection.client.callTool({ name, arguments: args })
  return {
    ...connection,
    [Symbol.asyncDispose]: () => connection.close(),
    call,
    async text(name, args) {
      return textOf(await call(name, args))
    },
  }
}

export function textOf(result: CallToolResult): string {
  const { content } = result as unknown as { readonly content: readonly { readonly text?: string }[] }
  return content.map(({ text = '' }) => text).join('\n')
}
