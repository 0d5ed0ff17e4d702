import type { McpServer } from '@toolwright/core'
import { custom, Diagnostics, type OptionsOf, readNamedOptions } from '@toolwright/core/options'
import type { ForwardTarget } from './forward.js'

export type InspectedServer = McpServer | (() => McpServer)

export const inspectorOptions = {
  /**
   * The server to show, or a function that returns a server. Without a server, the page has no plans and no access matrix.
   * Default: none.
   */
  server: custom<InspectedServer, InspectedServer | undefined>('`McpServer`', checkServer, { default: undefined }),
  /** Path of the page. Default: `/inspector`. */
  path: custom<string, string>('`string`', checkPath, { default: '/inspector' }),
  /** Path of the MCP endpoint in the same application. Default: `/mcp`. */
  endpoint: custom<string, string>('`string`', checkPath, { default: '/mcp' }),
  /**
   * Another server, `{ url, headers }`: requests to the endpoint are forwarded only to this URL. Needs a `token`. Default:
   * none; the application serves the endpoint.
   */
  forward: custom<ForwardTarget, ForwardTarget | undefined>('`{ url, headers }`', checkForward, { default: undefined }),
  /**
   * Secret that requests for the report and requests to forward must have, because other users of the machine can send
   * requests too. At least 32 letters and digits. Open the page with the secret: `/inspector#token=SECRET`. Default: none.
   */
  token: custom<string, string | undefined>('`string`', checkToken, { default: undefined }),
}

export interface InspectorOptions extends OptionsOf<typeof inspectorOptions> {}

const elsewhere = {
  host: 'The inspector is served at the address of the application, which must be loopback: pass the host to `listen`.',
  port: 'The inspector is served on the port of the application: pass the port to `listen`.',
  mcp: 'Give `server: app.mcp`.',
  url: 'Give `endpoint`, a path of the same application. For a server elsewhere, run `toolwright inspect URL`.',
}

export function readInspectorOptions(given: InspectorOptions & { readonly prefix?: string }) {
  const diagnostics = new Diagnostics()
  const { prefix: _fastify, ...own } = given
  const options = readNamedOptions(inspectorOptions, own, { prefix: '', elsewhere }, diagnostics)
  if (given.forward !== undefined && given.token === undefined) {
    const fix = "Add a random one: `token: randomBytes(16).toString('hex')`."
    diagnostics.add('bad-option', `\`forward\` needs a \`token\`, so that other users cannot use its headers. ${fix}`)
  }
  diagnostics.throwIfAny('The inspector cannot start')
  return options
}

function checkServer(given: unknown, option: string, diagnostics: Diagnostics): boolean {
  if (typeof given === 'function' || typeof (given as Partial<McpServer> | null)?.explain === 'function') return true
  diagnostics.addBadOption(option, given, 'Give `app.mcp`, or the server that createServer({ … }) resolves to.')
  return false
}

function checkForward(given: unknown, option: string, diagnostics: Diagnostics): boolean {
  const url = (given as Partial<ForwardTarget> | null)?.url
  if (typeof url === 'string' && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return true
  diagnostics.addBadOption(option, given, "Give an object with a URL, such as { url: 'https://example.com/mcp' }.")
  return false
}

function checkToken(given: unknown, option: string, diagnostics: Diagnostics): boolean {
  if (typeof given === 'string' && /^[\w-]{32,200}$/.test(given)) return true
  // The message does not repeat the secret.
  const found =
    typeof given === 'string' ? 'too short, or has characters other than letters and digits' : 'not a string'
  diagnostics.add('bad-option', `${option} is ${found}. Give at least 32 letters and digits.`)
  return false
}

function checkPath(given: unknown, option: string, diagnostics: Diagnostics): boolean {
  if (typeof given === 'string' && /^(?:\/[\w.~-]+)+$/.test(given)) return true
  diagnostics.addBadOption(option, given, "Give a path that begins with / and does not end with /, such as '/mcp'.")
  return false
}
