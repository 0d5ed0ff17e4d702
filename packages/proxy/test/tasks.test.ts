import { connect as connectTyped, type McpClient } from '@toolwright/client'
import { ProtocolError, Type } from '@toolwright/core'
import { until } from '../../../test/support/until.js'
import { type Front, type ServedUpstream, serveFront, serveUpstream } from './support/serve.js'

describe('a tool of an upstream that runs as a task', () => {
  let upstream: ServedUpstream
  let front: Front
  let client: McpClient
  let cancelled = 0

  beforeEach(async () => {
    cancelled = 0
    upstream = await serveUpstream({
      onReady: ({ catalog }) => {
        catalog.addTool({
          name: 'bake',
          task: 'optional',
          handler: async (_, context) => {
            context.progress({ progress: 1, message: 'kneading' })
            await new Promise((resolve) => setTimeout(resolve, 30))
            return `baked in ${context.taskId === null ? 'a call' : 'a task'}`
          },
        })
        catalog.addTool({
          name: 'ask',
          task: 'optional',
          handler: async (_, context) => {
            const answer = await context.elicit({ message: 'Name?', schema: Type.Object({ name: Type.String() }) })
            return `for ${answer.content?.name}`
          },
        })
        catalog.addTool({
          name: 'wait',
          task: 'optional',
          handler: (_, { signal }) =>
            new Promise((_resolve, reject) => {
              signal.addEventListener('abort', () => {
                cancelled++
                reject(signal.reason as Error)
              })
            }),
        })
      },
    })
    front = await serveFront({ up: { url: upstream.url } })
    client = await connectTyped(front.server, {
      onElicit: () => ({ action: 'accept' as const, content: { name: 'Ada' } }),
    })
  })

  afterEach(async () => {
    await client.close()
    await front[Symbol.asyncDispose]()
    await upstream[Symbol.asyncDispose]()
  })

  test('is a task of this server, too', async () => {
    const states: string[] = []
    const call = client.call('up_bake', {}, { onTask: ({ status }) => void states.push(status) })
    expect(await call).toBe('baked in a task')
    expect(states[0]).toBe('working')
  })

  test('passes on questions', async () => {
    expect(await client.call('up_ask')).toBe('for Ada')
  })

  test('is cancelled with the task of this server', async () => {
    const stop = new AbortController()
    const call = client.call('up_wait', {}, { signal: stop.signal, onTask: () => stop.abort(new Error('enough')) })
    await expect(call).rejects.toThrow('enough')
    await until(() => cancelled === 1)
  })

  test('is an ordinary call for a client without tasks', async () => {
    await using plain = await connectTyped(front.server, { tasks: false })
    expect(await plain.call('up_bake')).toBe('baked in a call')
  })
})

test('a task of an upstream that fails is a failed task here', async () => {
  await using upstream = await serveUpstream({
    onReady: ({ catalog }) =>
      catalog.addTool({
        name: 'fail',
        task: 'optional',
        handler: () => {
          throw new ProtocolError('internalError', 'out of flour')
        },
      }),
  })
  await using front = await serveFront({ up: { url: upstream.url } })
  await using client = await connectTyped(front.server)
  const states: string[] = []
  const call = client.call('up_fail', {}, { onTask: ({ status }) => void states.push(status) })
  await expect(call).rejects.toThrow('out of flour')
  expect(states.at(-1)).toBe('failed')
})

test('a tool that only runs as a task is rejected for a client without tasks', async () => {
  await using upstream = await serveUpstream({
    onReady: ({ catalog }) => catalog.addTool({ name: 'bake', task: 'required', handler: () => 'baked' }),
  })
  await using front = await serveFront({ up: { url: upstream.url } })
  await using plain = await connectTyped(front.server, { tasks: false })
  await expect(plain.call('up_bake')).rejects.toMatchObject({ code: -32021 })
})
