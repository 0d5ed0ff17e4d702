import { connectInMemory, McpResource, type ReadResourceResult } from '@toolwright/core'
import { createServer } from '@toolwright/server'

const contents = [{ uri: 'note://today', text: 'Rain', _meta: { 'example.com/of': 'content' } }]

class Notes {
  @McpResource('note://today')
  today(): ReadResourceResult {
    return { contents, _meta: { 'example.com/of': 'result' } }
  }

  @McpResource('note://broken')
  broken(): object {
    return { contents: [{ uri: 'note://broken', text: '' }], _meta: 'no object' }
  }

  @McpResource('note://data')
  data(): object {
    return { contents: [1, 2], _meta: { own: true } }
  }
}

// oxlint-disable-next-line typescript/no-explicit-any
type Message = any

async function read(uri: string): Promise<Message> {
  const server = await createServer({ name: 'test', version: '1', controllers: [Notes] })
  const answer = await new Promise<Message>((resolve) => {
    const client = connectInMemory(server, { onMessage: resolve })
    client.send({ jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri } })
  })
  await server.close()
  return answer
}

describe('metadata of a read resource', () => {
  test('belongs to the result, and to each of the contents', async () => {
    const { result } = await read('note://today')
    expect(result).toMatchObject({ _meta: { 'example.com/of': 'result' }, contents })
  })

  test('must be an object', async () => {
    expect(await read('note://broken')).toMatchObject({ error: { code: -32603 } })
  })

  test('is plain data if the returned contents are not a list of contents', async () => {
    const { result } = await read('note://data')
    expect(result['_meta']).toBeUndefined()
    expect(JSON.parse(result.contents[0].text as string)).toEqual({ contents: [1, 2], _meta: { own: true } })
  })
})
