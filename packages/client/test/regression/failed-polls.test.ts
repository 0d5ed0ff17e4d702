import { ClientError, ConnectionError, connect } from '@toolwright/client'
import { serveFake } from '../support/fake-server.js'

const task = { taskId: 't1', status: 'working', pollIntervalMs: 'x' }
const completed = { ...task, status: 'completed', result: { content: [{ type: 'text', text: 'done' }] } }

/** A server that answers a poll with each of the results; `null` is status 503. */
function serveTask(polls: unknown[]) {
  return serveFake(({ method }, response) => {
    if (method === 'tools/call') return { resultType: 'task', ...task }
    if (method !== 'tasks/get') return undefined
    const result = polls.length > 1 ? polls.shift() : polls[0]
    if (result === null) response.writeHead(503).end()
    return result
  })
}

test('a task survives some failed polls', async () => {
  await using server = await serveTask([null, task, null, null, completed])
  await using client = await connect(server.url, { era: 'legacy' })
  expect(await client.call('echo')).toBe('done')
})

test('a task whose polls keep failing rejects', async () => {
  await using server = await serveTask([null])
  await using client = await connect(server.url, { era: 'legacy' })
  await expect(client.call('echo')).rejects.toThrow(ConnectionError)
  expect(server.methods.filter((method) => method === 'tasks/get')).toHaveLength(5)
})

test('an interval that is no number does not make the client poll without a pause', async () => {
  await using server = await serveTask([task])
  await using client = await connect(server.url, { era: 'legacy' })
  const call = client.call('echo', {}, { signal: AbortSignal.timeout(1500) })
  await expect(call).rejects.toThrow(expect.objectContaining({ name: 'TimeoutError' }))
  expect(server.methods.filter((method) => method === 'tasks/get').length).toBeLessThan(8)
})

test.each([null, 5, { a: null }])('input requests that are %j reject with a ClientError', async (inputRequests) => {
  await using server = await serveTask([{ ...task, status: 'input_required', inputRequests }, { wrong: true }])
  await using client = await connect(server.url, { era: 'legacy' })
  await expect(client.call('echo')).rejects.toThrow(ClientError)
})
