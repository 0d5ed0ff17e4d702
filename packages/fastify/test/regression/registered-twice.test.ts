import { McpTool } from '@toolwright/core'
import { mcp } from '@toolwright/fastify'
import fastify from 'fastify'

class Tools {
  @McpTool()
  hello(): string {
    return 'Hello'
  }
}

const options = { name: 'twice', version: '1.0.0', controllers: [Tools] }

describe('the plugin mcp', () => {
  test('names the fix when it is registered twice in one scope', async () => {
    const app = fastify()
    void app.register(mcp, options)
    void app.register(mcp, { ...options, path: '/other' })

    await expect(app.ready()).rejects.toMatchObject({
      name: 'BootError',
      diagnostics: [
        {
          code: 'bad-option',
          message:
            'The plugin mcp is registered twice in one scope, but a scope can have only one `app.mcp`. Register each server in a ' +
            'separate scope: app.register((scope) => scope.register(mcp, { … })).',
        },
      ],
    })
    await app.close()
  })

  test('serves two servers in separate scopes', async () => {
    const app = fastify()
    void app.register(async (scope) => {
      await scope.register(mcp, options)
    })
    void app.register(async (scope) => {
      await scope.register(mcp, { ...options, path: '/other' })
    })

    await expect(app.ready()).resolves.toBeDefined()
    await app.close()
  })
})
