import { interrupt, MemorySaver } from '@langchain/langgraph'
import { Agent, tool as openAiTool, run } from '@openai/agents-core'
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents-core/testing'
import type { McpServer } from '@toolwright/core'
import { type AgentToolOptions, toAiSdkTools, toLangChainTools, toOpenAiAgentsTools } from '@toolwright/server'
import { generateText, jsonSchema, stepCountIs } from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import { createAgent, FakeToolCallingModel, tool as langChainTool, ToolMessage } from 'langchain'

/** Calls that the scripted model makes, one list for each of its responses. After these, the model answers. */
export type Script = readonly (readonly (readonly [name: string, args: unknown])[])[]

export interface Offered {
  readonly name: string
  readonly description: string
  readonly parameters: Readonly<Record<string, unknown>>
}

/** Tools that the model was offered, and the answers to its calls in the format of the library. */
export interface Seen {
  readonly offered: readonly Offered[]
  readonly answers: readonly unknown[]
}

export interface RunOptions extends AgentToolOptions {
  readonly signal?: AbortSignal
}

/** An agent with a scripted model, of one library. */
export interface ScriptedAgent {
  readonly library: string
  run(server: McpServer, script: Script, options?: RunOptions): Promise<Seen>
  /** Returns the text that the model got; `null` for an answer with other parts. */
  textOf(answer: unknown): string | null
}

function idOf(step: number, index: number): string {
  return `call_${step}_${index}`
}

const aiSdk: ScriptedAgent = {
  library: 'AI SDK',
  async run(server, script, { signal, ...options } = {}) {
    const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } } as never
    const model = new MockLanguageModelV3({
      doGenerate: async () => {
        const step = model.doGenerateCalls.length - 1
        const calls = script[step] ?? []
        const content = calls.map(([toolName, args], index) => ({
          type: 'tool-call' as const,
          toolCallId: idOf(step, index),
          toolName,
          input: typeof args === 'string' ? args : JSON.stringify(args),
        }))
        const unified = calls.length > 0 ? ('tool-calls' as const) : ('stop' as const)
        return Promise.resolve({
          content: calls.length > 0 ? content : [{ type: 'text' as const, text: 'Done.' }],
          finishReason: { unified, raw: unified },
          usage,
          warnings: [],
        })
      },
    })
    const tools = await toAiSdkTools(server, { jsonSchema, ...options })
    await generateText({
      model,
      tools,
      prompt: 'Go',
      stopWhen: stepCountIs(10),
      maxRetries: 0,
      ...(signal === undefined ? {} : { abortSignal: signal }),
    })
    const [first] = model.doGenerateCalls
    return {
      offered: (first?.tools ?? []).map((tool) => ({
        name: tool.name,
        description: 'description' in tool ? (tool.description ?? '') : '',
        parameters: ('inputSchema' in tool ? tool.inputSchema : {}) as Offered['parameters'],
      })),
      answers: (model.doGenerateCalls.at(-1)?.prompt ?? []).flatMap((message) =>
        message.role === 'tool'
          ? message.content.flatMap((part) => (part.type === 'tool-result' ? [part.output] : []))
          : [],
      ),
    }
  },
  textOf(answer) {
    const { type, value } = answer as { type: string; value: unknown }
    if (type === 'json') return JSON.stringify(value)
    return type === 'text' || type === 'error-text' ? (value as string) : null
  },
}

const langChain: ScriptedAgent = {
  library: 'LangChain',
  async run(server, script, { signal, ...options } = {}) {
    const tools = await toLangChainTools(server, { tool: langChainTool, interrupt, ...options })
    const calls = script.map((list, step) =>
      list.map(([name, args], index) => ({
        name,
        args: args as Record<string, unknown>,
        id: idOf(step, index),
        type: 'tool_call' as const,
      })),
    )
    const model = new FakeToolCallingModel({ toolCalls: [...calls, []] })
    const agent = createAgent({ model, tools, checkpointer: new MemorySaver() })
    const { messages } = await agent.invoke(
      { messages: [{ role: 'user', content: 'Go' }] },
      { configurable: { thread_id: '1' }, ...(signal === undefined ? {} : { signal }) },
    )
    return {
      offered: tools.map(({ name, description, schema }) => ({
        name,
        description,
        parameters: schema as Offered['parameters'],
      })),
      answers: messages.filter((message) => ToolMessage.isInstance(message)),
    }
  },
  textOf(answer) {
    const { content } = answer as ToolMessage
    return typeof content === 'string' ? content : null
  },
}

const openAiAgents: ScriptedAgent = {
  library: 'OpenAI Agents SDK',
  async run(server, script, { signal, ...options } = {}) {
    const tools = await toOpenAiAgentsTools(server, { tool: openAiTool, ...options })
    const model = new ScriptedModel([
      ...script.map((list, step) =>
        list.map(([name, args], index) =>
          functionCall(name, args as Record<string, unknown>, { callId: idOf(step, index) }),
        ),
      ),
      [assistantMessage('Done.')],
    ])
    await run(new Agent({ name: 'agent', model, tools }), 'Go', signal === undefined ? {} : { signal })
    const input = model.lastCall?.request.input ?? []
    return {
      offered: (model.firstCall?.request.tools ?? []).map((tool) => tool as unknown as Offered),
      answers: (input as readonly { type?: string; output?: unknown }[])
        .filter(({ type }) => type === 'function_call_result')
        .map(({ output }) => output),
    }
  },
  textOf(answer) {
    return typeof answer === 'object' && answer !== null && 'text' in answer ? (answer.text as string) : null
  },
}

export const scriptedAgents: readonly ScriptedAgent[] = [aiSdk, langChain, openAiAgents]
