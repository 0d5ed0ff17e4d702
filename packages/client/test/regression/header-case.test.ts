import { connect } from '@toolwright/client'
import { serveFake } from '../support/fake-server.js'

test('credentials replace fixed headers whose names differ in case', async () => {
  const seen = new Set<unknown>()
  await using server = await serveFake((_request, _response, headers) => {
    seen.add(headers.authorization).add(headers['x-api-key'])
    return undefined
  })
  const headers = { Authorization: 'Basic abc', 'X-Api-Key': 'old' }
  const credentials = () => ({ authorization: 'Bearer tok', 'X-API-KEY': 'new' })
  await using client = await connect(server.url, { era: 'legacy', headers, credentials })
  await client.call('echo')
  expect(seen).toStrictEqual(new Set(['Bearer tok', 'new']))
  await using other = await connect(server.url, { era: 'legacy', headers, credentials: () => 'tok' })
  expect(await other.headers()).toStrictEqual({ authorization: 'Bearer tok', 'x-api-key': 'old' })
})
