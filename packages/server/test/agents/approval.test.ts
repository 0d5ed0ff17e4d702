import { Command, interrupt, MemorySaver } from '@langchain/langgraph'
import { Agent, tool as openAiTool, run } from '@openai/agents-core'
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents-core/testing'
import { McpTool, Type } from '@toolwright/core'
import { createServer, toAiSdkTools, toLangChainTools, toOpenAiAgentsTools } from '@toolwright/server'
import { generateText, jsonSchema, type ModelMessage, stepCountIs } from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import { createAgent, FakeToolCallingModel, ToolMessage, tool } from 'langchain'
import { pino } from 'pino'

const Target = Type.Object({ id: Type.Integer() })

const deleted: number[] = []

class Files {
  @McpTool('delete-file', {
    description: 'Deletes a file',
    input: Target,
    annotations: { destructiveHint: true },
  })
  deleteFile({ id }: { id: number }): string {
    deleted.push(id)
    return `Deleted ${id}`
  }

  @McpTool()
  list(): string {
    return 'files'
  }
}

const open = () =>
  createServer({ name: 'files', version: '1.0.0', controllers: [Files], logger: pino({ level: 'silent' }) })

beforeEach(() => deleted.splice(0))

describe('calls of a destructive tool', () => {
  it.each([true, false])('wait for the approval of the AI SDK, which is %s', async (approved) => {
    const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } } as never
    const model = new MockLanguageModelV3({
      doGenerate: async () => {
        const isFirst = model.doGenerateCalls.length === 1
        return Promise.resolve({
          content: isFirst
            ? [{ type: 'tool-call', toolCallId: 'c1', toolName: 'delete-file', input: '{"id":7}' }]
            : [{ type: 'text', text: 'Done.' }],
          finishReason: { unified: isFirst ? 'tool-calls' : 'stop', raw: undefined },
          usage,
          warnings: [],
        })
      },
    })
    const tools = await toAiSdkTools(await open(), { jsonSchema })
    expect(tools['list']?.needsApproval).toBeUndefined()
    const messages: ModelMessage[] = [{ role: 'user', content: 'Go' }]
    const first = await generateText({ model, tools, messages, stopWhen: stepCountIs(5) })
    const request = first.content.find((part) => part.type === 'tool-approval-request')
    expect(deleted).toEqual([])

    const approvalId = request?.approvalId ?? ''
    await generateText({
      model,
      tools,
      messages: [
        ...messages,
        ...first.response.messages,
        { role: 'tool', content: [{ type: 'tool-approval-response', approvalId, approved }] },
      ],
      stopWhen: stepCountIs(5),
    })
    expect(deleted).toEqual(approved ? [7] : [])
  })

  it.each([true, false])('wait for the approval of the OpenAI Agents SDK, which is %s', async (approved) => {
    const model = new ScriptedModel([
      [functionCall('delete_file', { id: 7 }, { callId: 'c1' })],
      [assistantMessage('Done.')],
    ])
    const tools = await toOpenAiAgentsTools(await open(), { tool: openAiTool })
    const agent = new Agent({ name: 'agent', model, tools })
    const first = await run(agent, 'Go')
    expect([first.interruptions.length, deleted]).toEqual([1, []])
    for (const item of first.interruptions) {
      if (approved) first.state.approve(item)
      else first.state.reject(item)
    }
    await run(agent, first.state)
    expect(deleted).toEqual(approved ? [7] : [])
  })

  it.each([
    ['approve', undefined, 'Deleted 7', undefined],
    ['reject', undefined, "The user rejected the call of the tool 'delete-file'.", 'error'],
    ['reject', 'Not this one', 'Not this one', 'error'],
  ])('wait for the decision of a LangGraph interrupt: %s', async (type, message, content, status = 'success') => {
    const tools = await toLangChainTools(await open(), { tool, interrupt })
    const model = new FakeToolCallingModel({
      toolCalls: [[{ name: 'delete-file', args: { id: 7 }, id: 'c1', type: 'tool_call' }], []],
    })
    const agent = createAgent({ model, tools, checkpointer: new MemorySaver() })
    const config = { configurable: { thread_id: '1' } }
    const first = await agent.invoke({ messages: [{ role: 'user', content: 'Go' }] }, config)
    const { __interrupt__: asked = [] } = first
    expect(asked.map(({ value }) => value)).toEqual([
      {
        actionRequests: [{ name: 'delete-file', args: { id: 7 }, description: 'Deletes a file' }],
        reviewConfigs: [{ actionName: 'delete-file', allowedDecisions: ['approve', 'reject'] }],
      },
    ])
    expect(deleted).toEqual([])

    const resume = { decisions: [{ type, message }] }
    const { messages } = await agent.invoke(new Command({ resume }), config)
    const answer = messages.find((one) => ToolMessage.isInstance(one))
    expect([answer?.content, answer?.status]).toEqual([content, status])
    expect(deleted).toEqual(type === 'approve' ? [7] : [])
  })

  it('are approved one by one if a model of LangChain makes several', async () => {
    const tools = await toLangChainTools(await open(), { tool, interrupt })
    const call = (id: number) => ({ name: 'delete-file', args: { id }, id: `c${id}`, type: 'tool_call' as const })
    const model = new FakeToolCallingModel({ toolCalls: [[call(1), call(2)], []] })
    const agent = createAgent({ model, tools, checkpointer: new MemorySaver() })
    const config = { configurable: { thread_id: '1' } }
    const { __interrupt__: asked = [] } = await agent.invoke({ messages: [{ role: 'user', content: 'Go' }] }, config)
    expect(asked).toHaveLength(2)

    const resume = Object.fromEntries(
      asked.map(({ id, value }) => {
        const isSecond = JSON.stringify(value).includes('"id":2')
        return [id, { decisions: [{ type: isSecond ? 'approve' : 'reject' }] }]
      }),
    )
    await agent.invoke(new Command({ resume }), config)
    expect(deleted).toEqual([2])
  })

  it('are not converted for LangChain without a function that asks', async () => {
    const server = await open()
    await expect(toLangChainTools(server, { tool })).rejects.toThrow(
      "toLangChainTools: calls of 'delete-file' need approval, and there is no function that asks for it. Give " +
        '`interrupt` of @langchain/langgraph, or `approval: false`',
    )
    expect(await toLangChainTools(server, { tool, approval: false })).toHaveLength(2)
  })
})

describe('the option approval', () => {
  it('selects other tools', async () => {
    const tools = await toAiSdkTools(await open(), { jsonSchema, approval: ({ name }) => name === 'list' })
    expect([tools['list']?.needsApproval, tools['delete-file']?.needsApproval]).toEqual([true, undefined])
  })

  it('must be false or a function', async () => {
    await expect(toAiSdkTools(await open(), { jsonSchema, approval: true as never })).rejects.toThrow(
      'toAiSdkTools: approval is true. Give false, or a function that takes a tool.',
    )
  })
})

test('the function of the library is required', async () => {
  const server = await open()
  await expect(toAiSdkTools(server, {} as never)).rejects.toThrow(
    'toAiSdkTools: jsonSchema is undefined. Give a function: jsonSchema of the package ai.',
  )
  await expect(toLangChainTools(server, { tool: 'tool' as never })).rejects.toThrow(
    "toLangChainTools: tool is the string 'tool'. Give a function: tool of the package langchain.",
  )
  await expect(toOpenAiAgentsTools(server, {} as never)).rejects.toThrow(
    'toOpenAiAgentsTools: tool is undefined. Give a function: tool of @openai/agents.',
  )
})
