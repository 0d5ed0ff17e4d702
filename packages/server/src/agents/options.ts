import type { Caller, ElicitFunction, ListedTool, ProgressUpdate } from '@toolwright/core'
import {
  custom,
  Diagnostics,
  flag,
  func,
  type OptionRows,
  type OptionsOf,
  type ReadOptions,
  readNamedOptions,
  unchecked,
} from '@toolwright/core/options'

/** The call of an agent that a question or a progress update belongs to. */
export interface AgentCall {
  /** Name of the tool on the server. */
  readonly tool: string
  /** Id of the call, as the model or the library set it; `undefined` for libraries without ids. */
  readonly id: string | undefined
}

export const agentOptions = {
  /** The caller for whom the agent acts. The tools are listed and called for this caller. Default: unauthenticated. */
  principal: unchecked<Caller | null>('`Caller`'),
  /**
   * Selects the tools whose calls wait for the approval of the user, in the way of the library: a function of the listed tool,
   * or `false` for none. Default: tools with `destructiveHint: true`.
   */
  approval: custom<false | ((tool: ListedTool) => boolean)>('`false` or a function', checkApproval),
  /**
   * Lists schemas that the strict mode of vendors accepts. Tools whose schema has no strict form keep their schema. Default:
   * false.
   */
  strict: flag({ default: false }),
  /** Answers `context.elicit` and `context.elicitUrl` of a tool. Default: the call fails. */
  onElicit: func<ElicitFunction<AgentCall>>('function'),
  /** Called with each progress update of a tool. Default: progress is dropped. */
  onProgress: func<(update: ProgressUpdate, call: AgentCall) => void>('function'),
}

/** Options of `toAiSdkTools`, `toLangChainTools` and `toOpenAiAgentsTools`, without the functions of each library. */
export interface AgentToolOptions extends OptionsOf<typeof agentOptions> {}

export function readAgentOptions<Rows extends OptionRows>(
  rows: Rows,
  given: object,
  name: string,
): ReadOptions<Rows> & ReadOptions<typeof agentOptions> {
  const diagnostics = new Diagnostics()
  const read = readNamedOptions({ ...agentOptions, ...rows }, given, { prefix: `${name}: ` }, diagnostics)
  diagnostics.throwIfAny('The tools cannot be converted for the agent')
  return read
}

function checkApproval(given: unknown, option: string, diagnostics: Diagnostics): boolean {
  if (given === false || typeof given === 'function') return true
  diagnostics.addBadOption(option, given, 'Give false, or a function that takes a tool.')
  return false
}
