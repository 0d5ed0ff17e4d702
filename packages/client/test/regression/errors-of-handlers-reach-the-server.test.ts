import { ProtocolError } from '@modelcontextprotocol/client'
import { connect } from '@toolwright/client'
import { createServer, type McpContext, type McpServer, Type } from '@toolwright/core'

const secret = new Error('connect ECONNREFUSED 10.0.0.7:5432')

const fail = (): never => {
  throw secret
}

/** A server whose tools return the error that they got from the client. */
async function createCurious(): Promise<McpServer> {
  const server = await createServer({ name: 'curious', version: '1.0.0', controllers: [] })
  const requests: Readonly<Record<string, (context: McpContext) => Promise<unknown>>> = {
    elicit: (context) => context.elicit({ message: 'Sure?', schema: Type.Object({}) }),
    sample: (context) =>
      context.sample({ maxTokens: 5, messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }] }),
    roots: (context) => context.listRoots(),
  }
  for (const [name, ask] of Object.entries(requests)) {
    server.catalog.addTool({
      name,
      handler: async (_args, context) => {
        const answer = await ask(context).catch((error: Error) => error.message)
        return JSON.stringify(answer)
      },
    })
  }
  return server
}

describe.each(['legacy', 'modern'] as const)('a client of the %s era whose handlers throw', (era) => {
  let server: McpServer

  beforeEach(async () => {
    server = await createCurious()
  })

  afterEach(() => server.close())

  test.each(['elicit', 'sample', 'roots'])('tells its owner the reason, but not the server, for %s', async (tool) => {
    const errors: Error[] = []
    const onError = (error: Error): void => void errors.push(error)
    await using client = await connect(server, { era, onElicit: fail, onSample: fail, roots: fail, onError })
    const told = await client.call(tool).catch((error: Error) => error.message)
    expect(String(told)).toMatch(/The client failed to handle \w+\/\w+\./)
    expect(String(told)).not.toContain('10.0.0.7')
    expect(errors).toEqual([secret])
  })
})

test('a client sends the errors of the protocol that its handlers throw', async () => {
  const server = await createCurious()
  const onElicit = (): never => {
    throw new ProtocolError(-32602, 'This form has no fields.')
  }
  const client = await connect(server, { era: 'legacy', onElicit })
  expect(String(await client.call('elicit'))).toContain('This form has no fields.')
  await client.close()
  await server.close()
})
