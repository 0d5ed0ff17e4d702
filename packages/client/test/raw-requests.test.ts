import { connect, ServerError } from '@toolwright/client'
import { until } from '../../../test/support/until.js'
import { serveFake } from './support/fake-server.js'
import { type Era, serveShop } from './support/lanes.js'

describe.each<Era>(['modern', 'legacy'])('raw requests to a server of the %s era', (era) => {
  test('return the result as the server sent it', async () => {
    await using shop = await serveShop()
    await using client = await connect(shop.http, { era })
    const params = { name: 'sell_article', arguments: { article: 'tea' } }
    const { structuredContent } = await client.request('tools/call', params)
    expect(structuredContent).toMatchObject({ article: 'tea' })
    const { tools } = await client.request('tools/list')
    expect(tools).toEqual((await client.listTools()).tools)
  })

  test('return a failed result without an error', async () => {
    await using shop = await serveShop()
    await using client = await connect(shop.http, { era })
    const params = { name: 'sell_article', arguments: { article: 'tea', units: 1000 } }
    expect(await client.request('tools/call', params)).toMatchObject({ isError: true })
  })

  test('reject with the error of the server', async () => {
    await using shop = await serveShop()
    await using client = await connect(shop.http, { era })
    await expect(client.request('tools/call', { name: 'missing' })).rejects.toThrow(ServerError)
  })

  test('report progress', async () => {
    await using shop = await serveShop()
    await using client = await connect(shop.http, { era })
    const progress: number[] = []
    const onProgress = (update: { progress: number }): unknown => progress.push(update.progress)
    await client.request('tools/call', { name: 'count_up', arguments: { to: 3 } }, { onProgress })
    expect(progress).toEqual([1, 2, 3])
  })

  test('are cancelled with their signal', async () => {
    await using shop = await serveShop()
    await using client = await connect(shop.http, { era })
    const stop = new AbortController()
    const request = client.request('tools/call', { name: 'wait_forever' }, { signal: stop.signal })
    await Promise.all([
      expect(request).rejects.toThrow('enough'),
      until(() => shop.server.inFlight.count > 0).then(() => stop.abort(new Error('enough'))),
    ])
    await until(() => shop.server.inFlight.count === 0)
  })
})

test('a raw request returns a result that does not fit the output schema', async () => {
  const tool = { name: 'echo', inputSchema: { type: 'object' }, outputSchema: { type: 'nonsense' } }
  await using server = await serveFake(({ method }) => {
    if (method === 'tools/list') return { tools: [tool] }
    return method === 'tools/call' ? { content: [{ type: 'hologram' }], structuredContent: 5 } : undefined
  })
  await using client = await connect(server.url)
  expect(await client.request('tools/list')).toEqual({ tools: [tool] })
  const expected = { content: [{ type: 'hologram' }], structuredContent: 5 }
  expect(await client.request('tools/call', { name: 'echo' })).toEqual(expected)
})

test('a raw request sends its own members of _meta', async () => {
  await using shop = await serveShop()
  await using client = await connect(shop.http, { era: 'modern' })
  const key = 'io.modelcontextprotocol/clientCapabilities'
  const call = { name: 'greet', _meta: { [key]: { elicitation: { form: {} } } } }
  expect(await client.request('tools/call', call)).toMatchObject({
    resultType: 'input_required',
    inputRequests: { question_1: { method: 'elicitation/create' } },
  })
})

test('a session is opened again after the status 400 of a server that does not know the session', async () => {
  let sessions = 0
  let isForgetful = false
  await using server = await serveFake(({ method }, response, headers) => {
    if (method === 'initialize') response.setHeader('mcp-session-id', `session-${++sessions}`)
    if (method === 'tools/call' && isForgetful && headers['mcp-session-id'] === 'session-1') {
      response.writeHead(400).end('Bad Request: No valid session ID provided')
      return null
    }
    return undefined
  })
  await using client = await connect(server.url, { era: 'legacy' })
  isForgetful = true
  expect(await client.call('echo')).toBe('echoed')
  expect(sessions).toBe(2)
})
