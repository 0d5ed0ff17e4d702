import type { Transport } from '@modelcontextprotocol/client'
import type { McpServer } from '@toolwright/core'

/** A program that serves MCP over stdio. */
export interface CommandTarget {
  readonly command: string
  readonly args?: readonly string[]
  /** Environment variables to add. Only safe variables, such as `PATH` and `HOME`, are inherited. */
  readonly env?: Readonly<Record<string, string>>
  /** Working directory. Default: the working directory of this process. */
  readonly cwd?: string
  /**
   * Error output of the program. With `pipe`, read `client.official.transport.stderr`: a program with a full pipe stops.
   * Default: `inherit`.
   */
  readonly stderr?: 'inherit' | 'ignore' | 'pipe'
}

/**
 * The server to connect to: a URL (`http:` or `https:` for Streamable HTTP, `ws:` or `wss:` for WebSocket), a command, a
 * server in this process, or a transport of the official client.
 */
export type Target = string | URL | CommandTarget | McpServer | Transport

export function isCommand(target: object): target is CommandTarget {
  return typeof (target as Partial<CommandTarget>).command === 'string'
}

export function isTransport(target: object): target is Transport {
  const { start, send } = target as Partial<Transport>
  return typeof start === 'function' && typeof send === 'function'
}

export function readUrl(target: string | URL): URL {
  if (!URL.canParse(String(target))) {
    throw new TypeError(`'${String(target)}' is not a URL. Give one such as http://127.0.0.1:3000/mcp.`)
  }
  const url = new URL(target)
  if (url.username !== '' && url.protocol.startsWith('http')) {
    throw new TypeError(`The URL '${shownUrl(url)}' contains a user. Pass \`credentials\` or \`headers\` instead.`)
  }
  if (/^(https?|wss?):$/.test(url.protocol)) return url
  throw new TypeError(`The URL '${shownUrl(url)}' does not begin with http:, https:, ws: or wss:.`)
}

/** Returns a URL for messages: without its user, password and query, which can contain secrets. */
export function shownUrl({ protocol, host, pathname }: URL): string {
  return `${protocol}//${host}${pathname}`
}

export function isWebSocket({ protocol }: URL): boolean {
  return protocol === 'ws:' || protocol === 'wss:'
}

/**
 * Returns the URL of the WebSocket of a server. @param path Relative to the URL. The path is ignored if the URL is
 * already the URL of a WebSocket.
 */
export function webSocketUrl(url: URL, path = 'ws'): URL {
  if (isWebSocket(url)) return url
  const relative = new URL(path, url)
  relative.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  return relative
}
