// #region ai-sdk
import { generateText, jsonSchema, type LanguageModel, stepCountIs } from 'ai'
import type { FastifyInstance } from 'fastify'
import { toAiSdkTools } from 'toolwright'

export async function answer(
  host: FastifyInstance,
  model: LanguageModel,
  question: string,
): Promise<string> {
  const tools = await toAiSdkTools(host.mcp, {
    jsonSchema,
    principal: { subject: 'ada', roles: ['staff'] },
  })
  const { text } = await generateText({
    model,
    tools,
    prompt: question,
    stopWhen: stepCountIs(8),
  })
  return text
}

// #endregion

// #region langchain
import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { interrupt, MemorySaver } from '@langchain/langgraph'
import { createAgent, tool } from 'langchain'
import { type Caller, type McpServer, toLangChainTools } from 'toolwright'

export async function createLangChainAgent(
  server: McpServer,
  model: BaseChatModel,
  principal: Caller,
) {
  const tools = await toLangChainTools(server, { tool, interrupt, principal })
  return createAgent({ model, tools, checkpointer: new MemorySaver() })
}

// #endregion

// #region openai-agents
import { Agent, type Model, tool as openAiTool, run } from '@openai/agents-core'
import { toOpenAiAgentsTools } from 'toolwright'

export async function runOpenAiAgent(
  server: McpServer,
  model: Model,
  principal: Caller,
) {
  const tools = await toOpenAiAgentsTools(server, {
    tool: openAiTool,
    principal,
  })
  return run(new Agent({ name: 'Clerk', model, tools }), 'Clean up')
}
// #endregion

export async function offerWithQuestions(server: McpServer) {
  // #region questions
  return toAiSdkTools(server, {
    jsonSchema,
    onElicit: (request, { tool: name }) => {
      process.stderr.write(`${name} asks: ${request.message}\n`)
      return { action: 'decline' }
    },
    onProgress: ({ progress, total }, { tool: name, id }) =>
      process.stderr.write(`${name} (${id}): ${progress} of ${total}\n`),
  })
  // #endregion
}
