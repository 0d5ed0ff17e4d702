// Tasks of anonymous callers beside those of authenticated callers.
import { authenticateWith } from '../../../auth/src/index.js'
import { closeApps, metaKeys, modern, openApp, postModern, type WireTool } from '../support/wire.js'

afterEach(closeApps)

const _meta = { [metaKeys.capabilities]: { extensions: { 'io.modelcontextprotocol/tasks': {} } } }

const quick: WireTool = { name: 'quick', task: 'required', handler: () => 'done' }
const call = modern('tools/call', { name: 'quick', _meta })
const limits = { maxTasks: 5, maxTasksPerPrincipal: 2 }
const authentication = authenticateWith(({ headers }) => {
  const subject = headers['x-user']
  return typeof subject === 'string' ? { subject } : null
})

test('anonymous callers share one quota, and leave the rest to authenticated callers', async () => {
  const tools = [{ ...quick, allowAnonymous: true }]
  const app = await openApp({ tools, limits, authentication, allowAnonymous: true })
  const statuses: number[] = []
  for (const user of [undefined, undefined, undefined, 'ada', 'ada', 'ada', 'bob', 'bob']) {
    // oxlint-disable-next-line no-await-in-loop
    const { json } = await postModern(app, call, { 'x-user': user })
    statuses.push(json.error === undefined ? 200 : 500)
  }
  expect(statuses).toEqual([200, 200, 500, 200, 200, 500, 200, 500])
})

test('without authentication, all callers share the whole quota', async () => {
  const app = await openApp({ tools: [quick], limits })
  const taken: boolean[] = []
  for (let index = 0; index < 6; index++) {
    // oxlint-disable-next-line no-await-in-loop
    taken.push((await postModern(app, call)).json.error === undefined)
  }
  expect(taken).toEqual([true, true, true, true, true, false])
})
