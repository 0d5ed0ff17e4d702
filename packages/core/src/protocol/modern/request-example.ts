import { latest } from '../revisions.js'
import { requestMeta } from './request-meta.js'

/** What a client of the newest revision sends over HTTP: the headers, and the body that they repeat. */
export interface RequestExample {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A request that says no more than it has to, for people to try. */
export function writeExample(method: string): RequestExample {
  const { version } = latest
  return {
    headers: { 'mcp-protocol-version': version, 'mcp-method': method },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { _meta: requestMeta(version) } }),
  }
}
