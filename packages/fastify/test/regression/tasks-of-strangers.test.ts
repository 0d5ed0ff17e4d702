// Tasks of anonymous callers beside those of authenticated callers.

import {
  closeApps,
  connectTo,
  metaKeys,
  modernMessage,
  openApp,
  type TestTool,
} from '../../../../test/support/client/index.js'
import { authenticateWith } from '../../../auth/src/index.js'

afterEach(closeApps)

const _meta = { [metaKeys.capabilities]: { extensions: { 'io.modelcontextprotocol/tasks': {} } } }

const quick: TestTool = { name: 'quick', task: 'required', handler: () => 'done' }
const call = modernMessage('tools/call', { name: 'quick', _meta })
const limits = { maxTasks: 5, maxTasksPerPrincipal: 2 }
const authentication = authenticateWith(({ headers }) => {
  const subject = headers['x-user']
  return typeof subject === 'string' ? { subject } : null
})

test('anonymous callers share one quota, and leave the rest to authenticated callers', async () => {
  const tools = [{ ...quick, allowAnonymous: true }]
  const client = connectTo(await openApp({ tools, limits, authentication, allowAnonymous: true }))
  const statuses: number[] = []
  for (const user of [undefined, undefined, undefined, 'ada', 'ada', 'ada', 'bob', 'bob']) {
    // oxlint-disable-next-line no-await-in-loop
    const { json } = await client.send(call, { 'x-user': user })
    statuses.push(json.error === undefined ? 200 : 500)
  }
  expect(statuses).toEqual([200, 200, 500, 200, 200, 500, 200, 500])
})

test('without authentication, all callers share the whole quota', async () => {
  const client = connectTo(await openApp({ tools: [quick], limits }))
  const taken: boolean[] = []
  for (let index = 0; index < 6; index++) {
    // oxlint-disable-next-line no-await-in-loop
    taken.push((await client.send(call)).json.error === undefined)
  }
  expect(taken).toEqual([true, true, true, true, true, false])
})
