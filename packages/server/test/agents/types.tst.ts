// Compiled with the other tests and never run: the tools fit the types of each library without a cast.

import type { ClientTool } from '@langchain/core/tools'
import { interrupt } from '@langchain/langgraph'
import { type FunctionTool, tool as openAiTool } from '@openai/agents-core'
import type { McpServer } from '@toolwright/core'
import { type AiSdkServerTool, toAiSdkTools, toLangChainTools, toOpenAiAgentsTools } from '@toolwright/server'
import { jsonSchema, type Schema, type Tool, type ToolSet } from 'ai'
import { tool } from 'langchain'

declare const server: McpServer

export async function fit(): Promise<void> {
  const aiSdk: ToolSet = await toAiSdkTools(server, { jsonSchema, strict: true })
  const named: Record<string, AiSdkServerTool<Schema<unknown>>> = await toAiSdkTools(server, { jsonSchema })
  const one: Tool | undefined = named['one']
  const langChain: ClientTool[] = await toLangChainTools(server, { tool, interrupt, principal: { subject: 'ada' } })
  const openAi: FunctionTool[] = await toOpenAiAgentsTools(server, { tool: openAiTool })
  void [aiSdk, one, langChain, openAi]

  // @ts-expect-error the function of the library is required
  await toAiSdkTools(server, {})
  // @ts-expect-error the function of the library is required
  await toLangChainTools(server, { interrupt })
  // @ts-expect-error there is no option of this name
  await toOpenAiAgentsTools(server, { tool: openAiTool, principle: null })
  // @ts-expect-error all calls cannot wait for approval
  await toAiSdkTools(server, { jsonSchema, approval: true })
}
