import {
  APICallError,
  generateText,
  jsonSchema,
  type LanguageModel,
  stepCountIs,
  type ToolSet,
} from 'ai'
import {
  type Caller,
  type CallToolResult,
  type McpServer,
  ProtocolError,
  toAiSdkTools,
} from 'toolwright'

export interface AskOptions {
  /** The server whose tools the agent calls. */
  readonly server: McpServer
  readonly model: LanguageModel
  /**
   * The user for whom the agent acts. The model sees, and can call, only tools
   * that this user may use.
   */
  readonly principal: Caller
  /** Upper limit of model responses, because a model may call tools forever. */
  readonly maxSteps: number
  /** Called after each call of a tool. */
  readonly onCall?: (call: ToolCall) => void
}

export interface ToolCall {
  readonly name: string
  readonly args: object
  readonly result: string
}

/** A failure that the user of the agent can fix. */
export class AgentError extends Error {}

/**
 * Lets the model call tools until it answers.
 *
 * @throws AgentError if the model cannot be reached, or has no answer after
 * `maxSteps`.
 */
export async function ask(
  question: string,
  options: AskOptions,
): Promise<string> {
  const { model, maxSteps } = options
  const today = new Date().toISOString().slice(0, 10)
  try {
    const { text, finishReason } = await generateText({
      model,
      tools: await createTools(options),
      system: `You manage meeting rooms. Today is ${today}. Use the tools, and answer in one sentence.`,
      prompt: question,
      stopWhen: stepCountIs(maxSteps),
      maxRetries: 0,
    })
    if (finishReason !== 'tool-calls') return text
  } catch (error) {
    throw APICallError.isInstance(error)
      ? new AgentError(`The model failed: ${error.message}`)
      : error
  }
  throw new AgentError(
    `The model has no answer after ${maxSteps} steps. Ask for less, or raise MAX_STEPS.`,
  )
}

/**
 * Returns the tools in the format of the SDK. Calls run in this process, with
 * the same checks and rules as remote calls.
 */
async function createTools({
  server,
  principal,
  onCall,
}: AskOptions): Promise<ToolSet> {
  const tools = await server.listTools({ principal })
  const execute = async (
    name: string,
    args: object,
    signal: AbortSignal | undefined,
  ): Promise<string> => {
    const { content, isError } = await server
      .callTool(name, args, { principal, signal })
      .catch(toResult)
    const result = content
      .map((block) =>
        block.type === 'text' ? block.text : JSON.stringify(block),
      )
      .join('\n')
    onCall?.({ name, args, result })
    // The SDK returns the message to the model, which can correct its call.
    if (isError === true) throw new Error(result)
    return result
  }
  return toAiSdkTools(tools, { jsonSchema, execute }) as ToolSet
}

/**
 * Converts a protocol error to a result: the catalog or the rules may have
 * changed since the tools were listed.
 */
function toResult(error: unknown): CallToolResult {
  if (!(error instanceof ProtocolError)) throw error
  return { content: [{ type: 'text', text: error.message }], isError: true }
}
