import {
  APICallError,
  generateText,
  jsonSchema,
  type LanguageModel,
  type ModelMessage,
  stepCountIs,
  type ToolApprovalResponse,
} from 'ai'
import {
  type Caller,
  type CallToolResult,
  type McpServer,
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
  /** Asks the user whether a destructive tool may run. */
  readonly approve: (call: RequestedCall) => Promise<boolean>
  /** Called after each call of a tool. */
  readonly onCall?: (call: ToolCall) => void
}

export interface RequestedCall {
  readonly name: string
  readonly args: unknown
}

export interface ToolCall extends RequestedCall {
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
  const { model, maxSteps, approve } = options
  const today = new Date().toISOString().slice(0, 10)
  const messages: ModelMessage[] = [{ role: 'user', content: question }]
  const tools = await createTools(options)
  try {
    for (let steps = 0; steps < maxSteps; ) {
      const answer = await generateText({
        model,
        tools,
        system: `You manage meeting rooms. Today is ${today}. Use the tools, and answer in one sentence.`,
        messages,
        stopWhen: stepCountIs(maxSteps - steps),
        maxRetries: 0,
      })
      if (answer.finishReason !== 'tool-calls') return answer.text
      steps += answer.steps.length
      const approvals = await askForApproval(answer.content, approve)
      messages.push(...answer.response.messages)
      messages.push({ role: 'tool', content: approvals })
    }
  } catch (error) {
    throw APICallError.isInstance(error)
      ? new AgentError(`The model failed: ${error.message}`)
      : error
  }
  throw new AgentError(
    `The model has no answer after ${maxSteps} steps. Ask for less, or raise MAX_STEPS.`,
  )
}

type Content = Awaited<ReturnType<typeof generateText>>['content']

/** Answers the requests for approval, one after the other. */
async function askForApproval(
  content: Content,
  approve: AskOptions['approve'],
): Promise<ToolApprovalResponse[]> {
  const responses: ToolApprovalResponse[] = []
  for (const part of content) {
    if (part.type !== 'tool-approval-request') continue
    const { approvalId, toolCall } = part
    const { toolName: name, input: args } = toolCall
    const approved = await approve({ name, args })
    responses.push({ type: 'tool-approval-response', approvalId, approved })
  }
  return responses
}

/**
 * Returns the tools of the user. Calls run in this process, with the same
 * checks and rules as remote calls.
 */
async function createTools({ server, principal, onCall }: AskOptions) {
  const tools = await toAiSdkTools(server, { jsonSchema, principal })
  const entries = Object.entries(tools).map(([name, tool]) => {
    const execute: typeof tool.execute = async (args, call) => {
      const result = await tool.execute(args, call)
      onCall?.({ name, args, result: textOf(result) })
      return result
    }
    return [name, { ...tool, execute }] as const
  })
  return Object.fromEntries(entries)
}

function textOf({ content }: CallToolResult): string {
  return content
    .map((block) =>
      block.type === 'text' ? block.text : JSON.stringify(block),
    )
    .join('\n')
}
