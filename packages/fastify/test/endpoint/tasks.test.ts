import { setTimeout as sleep } from 'node:timers/promises'
import {
  closeApps,
  connectTo,
  metaKeys,
  modernMessage,
  openApp,
  type TestTool,
} from '../../../../test/support/client/index.js'

const _meta = { [metaKeys.capabilities]: { extensions: { 'io.modelcontextprotocol/tasks': {} } } }

const waits: TestTool = {
  name: 'waits',
  task: 'required',
  handler: async (_args, { signal }) => sleep(60_000, 'late', { signal }),
}

afterEach(closeApps)

describe('tasks over HTTP', () => {
  it('are found only if the header Mcp-Name contains their id', async () => {
    const client = connectTo(await openApp({ tools: [waits] }))
    const created = await client.request('tools/call', { name: 'waits', _meta })
    expect(created).toMatchObject({ status: 200, json: { result: { resultType: 'task', status: 'working' } } })
    const { taskId } = created.json.result
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const request = modernMessage(method, { taskId, inputResponses: {}, _meta })
      // oxlint-disable-next-line no-await-in-loop
      expect(await client.send(request, { 'mcp-name': taskId })).toMatchObject({
        status: 200,
        json: { result: { resultType: 'complete' } },
      })
      for (const name of ['other', undefined]) {
        // oxlint-disable-next-line no-await-in-loop
        expect(await client.send(request, { 'mcp-name': name })).toMatchObject({
          status: 400,
          json: { error: { code: -32020 } },
        })
      }
    }
  })

  it('are rejected with status 400 for a client that does not declare them', async () => {
    const client = connectTo(await openApp({ tools: [waits] }))
    const rejected = { status: 400, json: { error: { code: -32021 } } }
    expect(await client.request('tools/call', { name: 'waits' })).toMatchObject(rejected)
    expect(await client.request('tasks/get', { taskId: 'a' }, { headers: { 'mcp-name': 'a' } })).toMatchObject(rejected)
  })

  it('do not delay the shutdown of the server', async () => {
    const app = await openApp({ tools: [waits] })
    await connectTo(app).request('tools/call', { name: 'waits', _meta })
    const began = performance.now()
    await app.close()
    expect(performance.now() - began).toBeLessThan(5000)
  })
})
