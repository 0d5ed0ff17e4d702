import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { type McpServer, McpTool } from '@toolwright/core'
import { createServer } from '@toolwright/server'
import { serveStdio } from '@toolwright/server/stdio'

class Tools {
  @McpTool({ task: 'optional' })
  async develop(): Promise<string> {
    await new Promise((resolve) => setTimeout(resolve, 20))
    return 'developed'
  }
}

const taskExtension = 'io.modelcontextprotocol/tasks'
const _meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { extensions: { [taskExtension]: {} } },
}

// oxlint-disable-next-line typescript/no-explicit-any
type Message = any

function open(server: McpServer) {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const served = serveStdio(server, { input, output, drainMs: 0 })
  const lines = createInterface({ input: output })[Symbol.asyncIterator]()
  return {
    send: (id: number | string, method: string, params: object) =>
      void input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta } })}\n`),
    next: async (): Promise<Message> => JSON.parse(((await lines.next()) as { value: string }).value),
    end: async () => {
      input.end()
      await served
    },
  }
}

it('a task starts on stdio, notifies its subscribers, and can be fetched', async () => {
  const server = await createServer({ name: 'stdio', version: '1', controllers: [Tools] })
  const client = open(server)
  client.send(1, 'tools/call', { name: 'develop', arguments: {} })
  const { result } = await client.next()
  expect(result).toMatchObject({ resultType: 'task', status: 'working' })
  const { taskId } = result

  client.send('films', 'subscriptions/listen', { notifications: { taskIds: [taskId] } })
  const told: Message[] = [await client.next()]
  while (told.at(-1).params.status !== 'completed') {
    // oxlint-disable-next-line no-await-in-loop
    told.push(await client.next())
  }
  expect(told[0]).toMatchObject({
    method: 'notifications/subscriptions/acknowledged',
    params: { notifications: { taskIds: [taskId] } },
  })
  const developed = { taskId, status: 'completed', result: { content: [{ type: 'text', text: 'developed' }] } }
  expect(told.at(-1)).toMatchObject({ method: 'notifications/tasks', params: developed })

  client.send(2, 'tasks/get', { taskId })
  expect(await client.next()).toMatchObject({ id: 2, result: developed })
  await client.end()
  await server.close()
})

it('several subscriptions on stdio are distinguished by their ids', async () => {
  const server = await createServer({ name: 'stdio', version: '1', controllers: [Tools] })
  const client = open(server)
  const ids = ['a', 'b', 7]
  for (const id of ids) client.send(id, 'subscriptions/listen', { notifications: { toolsListChanged: true } })
  const subscription = ({ params }: Message): unknown => params._meta['io.modelcontextprotocol/subscriptionId']
  const take = async () => [await client.next(), await client.next(), await client.next()]
  expect((await take()).map(subscription)).toEqual(ids)
  server.catalog.addTool({ name: 'late', handler: () => '' })
  const told = await take()
  expect(told.map(({ method }) => method as string)).toEqual(ids.map(() => 'notifications/tools/list_changed'))
  expect(told.map(subscription)).toEqual(ids)
  await client.end()
  // The subscriptions have ended: this change reaches no stream.
  server.catalog.removeTool('late')
  await server.close()
})
