import { setTimeout as sleep } from 'node:timers/promises'
import { describeProgram } from '../../../test/support/program-behaviour.js'
import { call, connectSample, programLanes, type SampleProcess, startSample } from '../../../test/support/sample.js'

describeProgram('tasks', ['destroy', 'order', 'render'])

describe.each(programLanes)('tasks over $lane, $era', (lane) => {
  it('renders while the client without tasks waits', async () => {
    const sample = await connectSample('tasks', lane)
    const result = await call(sample.client, 'render', { title: 'Metropolis', frames: 2 })
    await sample.close()
    expect(result).toEqual({ content: [{ type: 'text', text: "Rendered 'Metropolis': 2 frames." }] })
  })
})

// The official client has no methods for tasks.

// oxlint-disable-next-line typescript/no-explicit-any
type Result = any

const done = (text: string) => ({ status: 'completed', result: { content: [{ type: 'text', text }] } })

describe('tasks, for a client that supports them,', () => {
  let program: SampleProcess & { url: URL }

  beforeAll(async () => {
    program = await startSample('tasks')
  })

  afterAll(async () => {
    await program.stop()
  })

  async function request(method: string, params: { readonly [member: string]: unknown }): Promise<Result> {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {
        elicitation: {},
        extensions: { 'io.modelcontextprotocol/tasks': {} },
      },
    }
    const response = await fetch(program.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        'mcp-name': String(params['taskId'] ?? params['name']),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
    })
    const { result, error } = (await response.json()) as Result
    return result ?? error
  }

  const callTool = (name: string, args: object, more = {}) => request('tools/call', { name, arguments: args, ...more })

  async function comeBack(taskId: string): Promise<Result> {
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop
      const task = await request('tasks/get', { taskId })
      if (task.status !== 'working') return task
      // oxlint-disable-next-line no-await-in-loop
      await sleep(10)
    }
  }

  it('render in the background', async () => {
    const created = await callTool('render', { title: 'Nosferatu', frames: 3 })
    expect(created).toMatchObject({ resultType: 'task', status: 'working', ttlMs: 600_000 })
    expect(await comeBack(created.taskId)).toMatchObject(done("Rendered 'Nosferatu': 3 frames."))
  })

  it('stop rendering when they are cancelled', async () => {
    const { taskId } = await callTool('render', { title: 'Endless', frames: 100_000 })
    expect(await request('tasks/cancel', { taskId })).toMatchObject({ resultType: 'complete' })
    expect(await comeBack(taskId)).toMatchObject({ status: 'cancelled' })
    const { taskId: other } = await callTool('destroy', { title: 'Endless' })
    expect(await comeBack(other)).toMatchObject({ status: 'completed', result: { isError: true } })
  })

  it('ask the user while they run', async () => {
    const { taskId: rendering } = await callTool('render', { title: 'Faust', frames: 1 })
    await comeBack(rendering)
    const { taskId } = await callTool('destroy', { title: 'Faust' })
    const asking = await comeBack(taskId)
    expect(asking).toMatchObject({
      status: 'input_required',
      inputRequests: { consent: { method: 'elicitation/create', params: { message: "Destroy 'Faust'?" } } },
    })
    const inputResponses = { consent: { action: 'accept', content: { destroy: true } } }
    await request('tasks/update', { taskId, inputResponses })
    expect(await comeBack(taskId)).toMatchObject(done("Destroyed 'Faust'."))
  })

  it('ask the user before the task starts', async () => {
    const asking = await callTool('order', { title: 'Dracula' })
    expect(asking).toMatchObject({ resultType: 'input_required', inputRequests: { length: expect.anything() } })
    const inputResponses = { length: { action: 'accept', content: { frames: 2 } } }
    const { requestState } = asking
    const created = await callTool('order', { title: 'Dracula' }, { requestState, inputResponses })
    expect(created).toMatchObject({ resultType: 'task', status: 'working' })
    expect(await comeBack(created.taskId)).toMatchObject(done("Rendered 'Dracula': 2 frames."))
  })

  it('notify a subscriber of their end', async () => {
    const { taskId } = await callTool('render', { title: 'Vampyr', frames: 5 })
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
    }
    const params = { notifications: { taskIds: [taskId] }, _meta }
    const response = await fetch(program.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'subscriptions/listen',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 'films', method: 'subscriptions/listen', params }),
    })
    let stream = ''
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      stream += new TextDecoder().decode(chunk)
      if (stream.includes('"status":"completed"')) break
    }
    const messages = [...stream.matchAll(/^data: (\{.*)$/gm)].map(([, json = '']) => JSON.parse(json))
    expect(messages[0].params.notifications).toEqual({ taskIds: [taskId] })
    expect(messages.at(-1)).toMatchObject({
      method: 'notifications/tasks',
      params: { taskId, ...done("Rendered 'Vampyr': 5 frames.") },
    })
  })
})
