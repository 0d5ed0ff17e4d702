import type { AddVariant } from './add-variants.js'
import type { Hooks } from './benchmark-hooks.js'
import type { EraName, MethodName } from './requests.js'

/** One row of the table. */
export interface Scenario {
  readonly title: string
  readonly method: MethodName
  readonly era: EraName
  /** Tools of the server, including `add_numbers`. */
  readonly tools: number
  /** Whether the client does the handshake first, and then sends its session id, if the server has sessions. */
  readonly inSession: boolean
  /** Kind of the token that the client sends. With a token, the tool requires a scope. */
  readonly token: 'none' | 'jwt' | 'login'
  /** Hooks that run with each call. All values but `none` include the metrics. */
  readonly hooks: Hooks
  /** Variant of the tool that is called. */
  readonly add: AddVariant
}

/** Options of a server as in the tutorial. */
const plain = { inSession: false, token: 'none', hooks: 'none', add: 'typebox' } as const
const call = { ...plain, method: 'tools/call', era: 'modern', tools: 1 } as const
const list = { ...plain, method: 'tools/list', era: 'modern', tools: 100 } as const

export const scenarios: readonly Scenario[] = [
  { ...call, title: 'tools/call, modern, 1 tool' },
  { ...call, title: 'tools/call, legacy, 1 tool', era: 'legacy' },
  { ...call, title: 'tools/call, legacy session, 1 tool', era: 'legacy', inSession: true },
  { ...call, title: 'tools/call, modern, 1,000 tools', tools: 1000 },
  { ...call, title: 'tools/call, modern, 10,000 tools', tools: 10_000 },
  { ...call, title: 'tools/call, modern, async tool', add: 'async' },
  { ...call, title: 'tools/call, modern, JSON Schema', add: 'json-schema' },
  { ...call, title: 'tools/call, modern, Zod', add: 'zod' },
  { ...call, title: 'tools/call, modern, Valibot', add: 'valibot' },
  { ...call, title: 'tools/call, modern, JWT and scope', token: 'jwt' },
  { ...call, title: 'tools/call, modern, login and scope', token: 'login' },
  { ...call, title: 'tools/call, modern, hooks and metrics', hooks: 'observing' },
  { ...call, title: 'tools/call, modern, JWT, scope, hooks and metrics', token: 'jwt', hooks: 'observing' },
  { ...call, title: 'tools/call, modern, JWT, scope, waiting hooks and metrics', token: 'jwt', hooks: 'waiting' },
  { ...list, title: 'tools/list, modern, 100 tools' },
  { ...list, title: 'tools/list, legacy, 100 tools', era: 'legacy' },
  { ...list, title: 'tools/list, modern, 1,000 tools', tools: 1000 },
  { ...list, title: 'tools/list, modern, 1,000 tools, one with enabled', tools: 1000, add: 'enabled' },
]

/**
 * Whether the SDK has the same features, so that it is timed. It leaves tokens to its host, and has neither scopes for tools
 * nor hooks. It awaits every tool, so that async tools make no difference, and always uses Zod. Its server registers all tools for each request: with
 * 10,000 tools, a request can take longer than a round.
 */
export function comparesSdk({ token, hooks, add, tools }: Scenario): boolean {
  return token === 'none' && hooks === 'none' && add === 'typebox' && tools <= 1000
}
