import type { CallToolResult, McpServer } from '@toolwright/core'
import { func, required } from '@toolwright/core/options'
import { openAiNames } from '../vendor-names.js'
import { type AgentTool, errorResult, listAgentTools } from './agent-tools.js'
import { type ModelPart, toModelParts, toModelText } from './model-parts.js'
import { type AgentToolOptions, readAgentOptions } from './options.js'

export interface LangChainOptions<Tool> extends AgentToolOptions {
  /** The function `tool` of the package `langchain` or of `@langchain/core/tools`. */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly tool: (run: any, fields: any) => Tool
  /**
   * The function `interrupt` of `@langchain/langgraph`, which asks for approval. The question and the answer have the format of
   * LangChain's `humanInTheLoopMiddleware`. Required for tools that need approval.
   */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly interrupt?: ((value: any) => any) | undefined
}

const rows = {
  tool: required(func<(run: Run, fields: object) => unknown>('function', ': tool of the package langchain')),
  interrupt: func<(value: unknown) => unknown>('function', ': interrupt of @langchain/langgraph'),
}

interface Config {
  readonly toolCall?: { readonly id?: string }
  readonly signal?: AbortSignal
}

type Output = readonly [content: unknown, artifact: CallToolResult]

type Run = (args: unknown, config: Config) => Promise<Output>

interface Runnable {
  invoke(input: unknown, config?: unknown): Promise<unknown>
  call(input: unknown, ...rest: unknown[]): Promise<unknown>
}

/** A schema that accepts everything. LangChain runs tools without a schema with one string. */
const anything = { type: ['object', 'array', 'string', 'number', 'boolean', 'null'] }

/**
 * Converts the tools of a server to tools of LangChain. Their calls run in this process, for the caller `principal`, and apply
 * the rules, limits and hooks of the server. The artifact of a message is the whole result. The list is not updated: call this
 * function again for each run.
 *
 * @throws BootError for wrong options. ProtocolError when two tools would have the same name.
 */
export async function toLangChainTools<Tool>(server: McpServer, options: LangChainOptions<Tool>): Promise<Tool[]> {
  readAgentOptions(rows, options, 'toLangChainTools')
  const tools = await listAgentTools(server, options, openAiNames)
  requireInterrupt(tools, options)
  return tools.map((tool) => toTool(tool, options))
}

/** Checks that calls can wait for approval. LangChain has no option of tools for this. */
function requireInterrupt(
  tools: readonly AgentTool[],
  { interrupt }: Pick<LangChainOptions<unknown>, 'interrupt'>,
): void {
  const waiting = tools.filter(({ needsApproval }) => needsApproval)
  if (waiting.length === 0 || interrupt !== undefined) return
  const names = waiting.map(({ name }) => `'${name}'`).join(', ')
  throw new TypeError(
    `toLangChainTools: calls of ${names} need approval, and there is no function that asks for it. Give ` +
      '`interrupt` of @langchain/langgraph, or `approval: false`',
  )
}

function toTool<Tool>(tool: AgentTool, { tool: create, interrupt }: LangChainOptions<Tool>): Tool {
  const run: Run = async (args, { toolCall, signal }) => {
    const rejection = tool.needsApproval ? askForApproval(tool, args, interrupt) : null
    const result = rejection ?? (await tool.run(args, { id: toolCall?.id, signal }))
    return [toContent(result), result]
  }
  const { name, description } = tool
  const createWith = (schema: object): Tool =>
    create(run, { name, description, schema, responseFormat: 'content_and_artifact' })
  const listed = createWith(tool.parameters)
  // LangChain checks arguments before it runs a tool, and its error does not name the wrong argument. The twin accepts all
  // arguments, so that the model gets the error of the server.
  const twin = createWith(anything) as Runnable
  const methods: Runnable = {
    invoke: async (input, config) => withStatus(await twin.invoke(input, config)),
    call: async (input, ...rest) => withStatus(await twin.call(input, ...rest)),
  }
  return Object.assign(listed as object, methods) as Tool
}

/** Marks the message of a failed call. LangChain marks only thrown errors, and drops their artifact. */
function withStatus(output: unknown): unknown {
  const { artifact } = Object(output) as { readonly artifact?: Partial<CallToolResult> }
  return artifact?.isError === true ? Object.assign(output as object, { status: 'error' }) : output
}

/**
 * Asks for approval. The graph stops here, and runs the tool again with the answer.
 *
 * @returns The result of a rejected call; `null` for an approved call.
 */
function askForApproval(
  { name, description }: AgentTool,
  args: unknown,
  interrupt: LangChainOptions<unknown>['interrupt'],
): CallToolResult | null {
  const answer: unknown = interrupt?.({
    actionRequests: [{ name, args, description }],
    reviewConfigs: [{ actionName: name, allowedDecisions: ['approve', 'reject'] }],
  })
  const { decisions } = Object(answer) as { readonly decisions?: readonly { type?: unknown; message?: unknown }[] }
  const { type, message } = decisions?.[0] ?? {}
  if (type === 'approve') return null
  return errorResult(typeof message === 'string' ? message : `The user rejected the call of the tool '${name}'.`)
}

function toContent(result: CallToolResult): unknown {
  const parts = toModelParts(result)
  return toModelText(parts) ?? parts.map(toBlock)
}

function toBlock(part: ModelPart): object {
  if (part.type === 'text') return part
  const { type, data, mimeType, name } = part
  // All chat models of LangChain accept this block for images, but not the newer `image`.
  if (type === 'image') return { type: 'image_url', image_url: { url: `data:${mimeType};base64,${data}` } }
  return { type, data, mimeType, ...(type === 'file' ? { metadata: { filename: name } } : {}) }
}
