import { connect } from '@toolwright/testing'
import { createServer } from 'toolwright'
import { createOptions, type Scheduler } from '../../docs/snippets/write-a-source.js'

let isConnected = true

const scheduler: Scheduler = {
  list: () =>
    Promise.resolve([
      { id: 'backup', title: 'Backs up', parameters: { type: 'object', properties: { day: { type: 'string' } } } },
      { id: 'fax', title: 'Faxes', retired: true, parameters: {} },
    ]),
  run: (id, values) => Promise.resolve(`${id} ${JSON.stringify(values)}`),
  disconnect: () => {
    isConnected = false
    return Promise.resolve()
  },
}

test('the source of the guide serves jobs as tools, explains them, and disconnects', async () => {
  {
    await using connection = await connect(createOptions(scheduler))
    const { tools } = await connection.client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['backup'])
    const answer = await connection.client.callTool({ name: 'backup', arguments: { day: 'Monday' } })
    expect(answer.content).toEqual([{ type: 'text', text: 'backup {"day":"Monday"}' }])
    expect(connection.server.explain().sources[0]?.leftOut).toEqual([{ origin: 'fax', reason: 'retired' }])
  }
  expect(isConnected).toBe(false)
})

test('the source of the guide reports a scheduler without jobs', async () => {
  const empty = { ...scheduler, list: () => Promise.resolve([]) }
  await expect(createServer(createOptions(empty))).rejects.toThrow('the scheduler has no jobs. Check its address.')
})
