import type { Hooks } from './benchmark-hooks.js'
import type { EraName, MethodName } from './requests.js'

/** One row of the table. */
export interface Scenario {
  readonly title: string
  readonly method: MethodName
  readonly era: EraName
  /** Tools that the server has, `add_numbers` among them. */
  readonly tools: number
  /** Whether the client does the handshake first and then names its session, where the server has sessions. */
  readonly inSession: boolean
  /** Whether the client brings a token, and the tool is for callers with a scope. */
  readonly authorized: boolean
  /** Which run with each call, beside one that keeps metrics. */
  readonly hooks: Hooks
  /** Whether the tool that is called returns a promise. */
  readonly asynchronous: boolean
}

/** As the server of a tutorial is. */
const plain = { inSession: false, authorized: false, hooks: 'none', asynchronous: false } as const
const call = { ...plain, method: 'tools/call', era: 'modern', tools: 1 } as const

export const scenarios: readonly Scenario[] = [
  { ...call, title: 'tools/call, modern, 1 tool' },
  { ...call, title: 'tools/call, legacy, 1 tool', era: 'legacy' },
  { ...call, title: 'tools/call, legacy session, 1 tool', era: 'legacy', inSession: true },
  { ...call, title: 'tools/call, modern, 1,000 tools', tools: 1000 },
  { ...call, title: 'tools/call, modern, async tool', asynchronous: true },
  { ...call, title: 'tools/call, modern, JWT and scope', authorized: true },
  { ...call, title: 'tools/call, modern, hooks and metrics', hooks: 'observing' },
  { ...call, title: 'tools/call, modern, JWT, scope, hooks and metrics', authorized: true, hooks: 'observing' },
  { ...call, title: 'tools/call, modern, JWT, scope, waiting hooks and metrics', authorized: true, hooks: 'waiting' },
  { ...plain, title: 'tools/list, modern, 100 tools', method: 'tools/list', era: 'modern', tools: 100 },
  { ...plain, title: 'tools/list, legacy, 100 tools', method: 'tools/list', era: 'legacy', tools: 100 },
]

/**
 * The SDK is timed where it does the same: it leaves tokens to its host, and knows neither scopes of tools nor hooks. It
 * waits for every tool.
 */
export function comparesSdk({ authorized, hooks, asynchronous }: Scenario): boolean {
  return !authorized && hooks === 'none' && !asynchronous
}
