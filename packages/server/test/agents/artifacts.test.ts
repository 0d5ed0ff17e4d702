import { McpTool, result, Type, text } from '@toolwright/core'
import { createServer, toAiSdkTools, toLangChainTools } from '@toolwright/server'
import { jsonSchema } from 'ai'
import { ToolMessage, tool } from 'langchain'
import { pino } from 'pino'

class Tools {
  @McpTool({ input: Type.Object({ city: Type.String() }) })
  find() {
    return result({ content: [text('No such city')], structuredContent: { similar: ['Oslo'] }, isError: true })
  }
}

const open = () =>
  createServer({ name: 'cities', version: '1.0.0', controllers: [Tools], logger: pino({ level: 'silent' }) })

const expected = {
  content: [{ type: 'text', text: 'No such city' }],
  structuredContent: { similar: ['Oslo'] },
  isError: true,
}

test('the data of an error is kept in the output of the AI SDK', async () => {
  const { find } = await toAiSdkTools(await open(), { jsonSchema })
  const output = await find?.execute({ city: 'Osl' }, { toolCallId: 'c1' })
  expect(output).toEqual(expected)
})

/** The types of LangChain allow no call of a tool that could have any schema. */
async function invoke(runnable: unknown, input: object): Promise<unknown> {
  return (runnable as { invoke(given: object): Promise<unknown> }).invoke(input)
}

describe('a tool message of LangChain', () => {
  it('keeps the data of an error as its artifact, and has the status of an error', async () => {
    const [find] = await toLangChainTools(await open(), { tool })
    const message: unknown = await invoke(find, { name: 'find', args: { city: 'Osl' }, id: 'c1', type: 'tool_call' })
    expect(ToolMessage.isInstance(message) && [message.content, message.status, message.artifact]).toEqual([
      'No such city',
      'error',
      expected,
    ])
  })

  it('is only its content if a program calls the tool without an id', async () => {
    const [find] = await toLangChainTools(await open(), { tool })
    expect(await invoke(find, { city: 'Osl' })).toBe('No such city')
  })
})
