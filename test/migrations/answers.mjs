import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

/**
 * Starts a server over stdio, and reads what a client sees of it: the listed features without the details that each
 * framework adds, and the answers.
 *
 * @param {{ cwd: string, args: readonly string[] }} program Arguments of `node`.
 */
export async function readAnswers({ cwd, args }) {
  const transport = new StdioClientTransport({ command: process.execPath, args: [...args], cwd, stderr: 'pipe' })
  let printed = ''
  transport.stderr?.on('data', (chunk) => {
    printed += chunk
  })
  const client = new Client({ name: 'migrations', version: '1.0.0' })
  try {
    await client.connect(transport)
    return await ask(client)
  } catch (error) {
    throw new Error(`${error.message}\n${printed}`, { cause: error })
  } finally {
    await client.close()
  }
}

async function ask(client) {
  const [{ tools }, { resources }, { prompts }] = [
    await client.listTools(),
    await client.listResources(),
    await client.listPrompts(),
  ]
  const call = (metres) => client.callTool({ name: 'convert_length', arguments: { metres } })
  const answer = await call(3.048)
  const refused = await call(-1)
  const { contents } = await client.readResource({ uri: 'units://list' })
  const { messages } = await client.getPrompt({ name: 'explain_unit', arguments: { unit: 'foot' } })
  return {
    tools: tools.map(({ name, description, inputSchema, outputSchema }) => ({
      name,
      description,
      input: membersOf(inputSchema),
      output: membersOf(outputSchema),
    })),
    resources: resources.map(({ uri, mimeType }) => ({ uri, mimeType })),
    prompts: prompts.map(({ name, description, arguments: given }) => ({
      name,
      description,
      arguments: given?.map(({ name: argument, required }) => ({ name: argument, required })),
    })),
    answer: answer.structuredContent,
    text: answer.content?.map(({ text }) => text),
    error: { isError: refused.isError, text: refused.content?.map(({ text }) => text) },
    invalid: await client.callTool({ name: 'convert_length', arguments: { metres: 'three' } }).then(
      ({ isError }) => ({ isError }),
      ({ code }) => ({ code }),
    ),
    resource: contents.map(({ uri, mimeType, text }) => ({ uri, mimeType, text })),
    prompt: messages,
  }
}

/** The part of a schema that all frameworks write the same. */
function membersOf({ properties = {}, required = [] } = {}) {
  const types = Object.entries(properties).map(([name, { type, description }]) => [name, { type, description }])
  return { properties: Object.fromEntries(types), required }
}
