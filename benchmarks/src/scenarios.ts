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
}

export const scenarios: readonly Scenario[] = [
  { title: 'tools/call, modern, 1 tool', method: 'tools/call', era: 'modern', tools: 1, inSession: false },
  { title: 'tools/call, legacy, 1 tool', method: 'tools/call', era: 'legacy', tools: 1, inSession: false },
  { title: 'tools/call, legacy session, 1 tool', method: 'tools/call', era: 'legacy', tools: 1, inSession: true },
  { title: 'tools/call, modern, 1,000 tools', method: 'tools/call', era: 'modern', tools: 1000, inSession: false },
  { title: 'tools/list, modern, 100 tools', method: 'tools/list', era: 'modern', tools: 100, inSession: false },
  { title: 'tools/list, legacy, 100 tools', method: 'tools/list', era: 'legacy', tools: 100, inSession: false },
]
