// Tools that use `inputRequired` check the answers themselves.
import { closeApps, connectTo, metaKeys, openApp } from '../../../test/support/client/index.js'
import { sendsHostileRequests } from '../../../test/support/frames/frames.js'
import { InputRequiredTools } from '../src/tools/input-required-tools.js'

beforeEach(sendsHostileRequests)
afterAll(closeApps)

const params = (name: string, more: object) => ({ name, arguments: {}, ...more })
const options = { meta: { [metaKeys.capabilities]: { elicitation: {} } } }

describe.each([
  ['test_input_required_result_elicitation', 'user_name', { name: 'Ada' }, 'Hello, Ada!'],
  ['test_input_required_result_request_state', 'confirm', { ok: true }, 'state-ok'],
])('%s', (name, key, content, text) => {
  async function answer(value: unknown): Promise<object> {
    const client = connectTo(await openApp({ controllers: [InputRequiredTools] }))
    const first = await client.request('tools/call', params(name, {}), options)
    const { requestState } = first.json.result
    const reply = await client.request(
      'tools/call',
      params(name, { requestState, inputResponses: { [key]: value } }),
      options,
    )
    return reply.json.result
  }

  it('takes an accepted form', async () => {
    expect(await answer({ action: 'accept', content })).toMatchObject({ content: [{ text }] })
  })

  it.each([
    ['no valid action', { action: 'ACCEPT', content }],
    ['no content', { action: 'accept' }],
    ['a declined form', { action: 'decline', content }],
    ['a number', 7],
  ])('asks again after an answer with %s', async (_case, value) => {
    expect(await answer(value)).toMatchObject({ resultType: 'input_required' })
  })
})
