import { McpCompletion, McpPrompt, McpResource, ToolError, Type } from '@toolwright/core'
import { connect } from '@toolwright/testing'

class Rejecting {
  @McpPrompt({ input: Type.Object({ name: Type.String() }) })
  greet(): never {
    throw new ToolError('Open an account first.')
  }

  @McpResource('shop://open')
  async fixed(): Promise<never> {
    throw new ToolError('Open an account first.')
  }

  @McpResource('shop://orders/{id}')
  order(): never {
    throw new ToolError('Open an account first.')
  }

  @McpCompletion({ prompt: 'greet', argument: 'name' })
  names(): never {
    throw new ToolError('Open an account first.')
  }
}

describe('a ToolError', () => {
  test.each([
    ['prompts/get', { name: 'greet', arguments: { name: 'Ada' } }],
    ['resources/read', { uri: 'shop://open' }],
    ['resources/read', { uri: 'shop://orders/1' }],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'name', value: '' } }],
  ] as const)('of %s with %j is an invalid-params error with its message', async (method, params) => {
    await using connection = await connect({ name: 'rejecting', version: '1.0.0', controllers: [Rejecting] })
    const { client } = connection
    const asked: Promise<unknown> =
      method === 'prompts/get'
        ? client.getPrompt(params)
        : method === 'resources/read'
          ? client.readResource(params)
          : client.complete(params)

    await expect(asked).rejects.toMatchObject({ code: -32602, message: 'Open an account first.' })
  })
})
