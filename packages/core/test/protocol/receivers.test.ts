import { BootError, connectInMemory, type Extension, type McpServer, McpTool, Type } from '@toolwright/core'
import { ForwardedExchange } from '@toolwright/core/extension'
import { type Answer, type Exchange } from '@toolwright/core/transport'
import { createServer } from '@toolwright/server'

class Tools {
  @McpTool({ input: Type.Object({ name: Type.String() }) })
  greet({ name }: { name: string }): string {
    return `Hello ${name}`
  }
}

// oxlint-disable-next-line typescript/no-explicit-any
type Message = any

const servers: McpServer[] = []

afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())))

async function start(...extensions: readonly Extension[]): Promise<McpServer> {
  const server = await createServer({ name: 'test', version: '1', controllers: [Tools], extensions })
  servers.push(server)
  return server
}

function send(server: McpServer, message: object): Promise<Message> {
  return new Promise((resolve) => {
    connectInMemory(server, { onMessage: resolve }).send(message)
  })
}

const methodOf = ({ message }: Exchange): unknown => (message as { readonly method?: unknown }).method

/** Serves `ping` for another method. */
const alias: Extension = {
  id: 'com.example/alias',
  receive: (exchange, next) => {
    if (methodOf(exchange) !== 'example/alias') return next(exchange)
    return next(new ForwardedExchange(exchange, { message: { ...(exchange.message as object), method: 'ping' } }))
  },
}

class Stamped extends ForwardedExchange {
  protected override sendAnswer(answer: Answer): void {
    super.sendAnswer({ ...answer, body: String(answer.body).replace('{}', '{"_meta":{"stamped":true}}') })
  }
}

const stamp: Extension = { id: 'com.example/stamp', receive: (exchange, next) => next(new Stamped(exchange)) }

describe('the receivers of extensions', () => {
  test('pass on a message, changed or not', async () => {
    const server = await start(alias)
    expect(await send(server, { jsonrpc: '2.0', id: 1, method: 'example/alias' })).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: {},
    })
    expect(await send(server, { jsonrpc: '2.0', id: 1, method: 'ping' })).toMatchObject({ result: {} })
  })

  test('change responses in reverse order of the extensions', async () => {
    const server = await start(stamp, alias)
    const { result } = await send(server, { jsonrpc: '2.0', id: 1, method: 'example/alias' })
    expect(result).toEqual({ _meta: { stamped: true } })
  })

  test('get the parts of a batch that an extension accepts', async () => {
    const batch = ['example/alias', 'ping'].map((method, id) => ({ jsonrpc: '2.0', id, method }))
    const rejecting = await start(alias)
    expect(await send(rejecting, batch)).toMatchObject({ error: { code: -32600 } })
    const server = await start({ ...alias, acceptsBatch: ({ headers }) => headers === null })
    expect(await send(server, batch)).toEqual([
      { jsonrpc: '2.0', id: 0, result: {} },
      { jsonrpc: '2.0', id: 1, result: {} },
    ])
  })

  test('do not replace the checks of the server', async () => {
    const server = await start(stamp)
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'greet', arguments: {} } }
    expect(await send(server, call)).toMatchObject({ result: { isError: true } })
  })

  test('must be functions', async () => {
    const wrong = [{ id: 'com.example/wrong', receive: true, acceptsBatch: 'yes' }] as never
    await expect(createServer({ name: 'test', version: '1', controllers: [Tools], extensions: wrong })).rejects.toThrow(
      BootError,
    )
  })
})

describe('a receiver', () => {
  test('may answer a message itself', async () => {
    const answering: Extension = {
      id: 'com.example/answering',
      receive: (exchange, next) => {
        if (methodOf(exchange) !== 'ping') return next(exchange)
        exchange.respond({ status: 200, body: '{"jsonrpc":"2.0","id":1,"result":{"_meta":{"own":true}}}' })
        return undefined
      },
    }
    const server = await start(answering)
    expect(await send(server, { jsonrpc: '2.0', id: 1, method: 'ping' })).toMatchObject({
      result: { _meta: { own: true } },
    })
  })
})
