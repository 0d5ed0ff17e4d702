import { connect } from '@toolwright/client'
import { serveFake } from '../support/fake-server.js'

test('calls that are rejected at once renew the credentials once', async () => {
  let valid = 'first'
  const reasons: string[] = []
  await using server = await serveFake((_request, response, { authorization }) => {
    if (authorization === `Bearer ${valid}`) return undefined
    response.writeHead(401).end()
    return null
  })
  let token = 'first'
  await using client = await connect(server.url, {
    era: 'legacy',
    credentials: async (reason) => {
      reasons.push(reason)
      if (reason === 'rejected') {
        await new Promise((resolve) => setTimeout(resolve, 200))
        token = valid
      }
      return token
    },
  })
  await client.call('echo')
  valid = 'second'
  const results = await Promise.all(Array.from({ length: 20 }, () => client.call('echo')))
  expect(new Set(results)).toStrictEqual(new Set(['echoed']))
  expect(reasons.filter((reason) => reason === 'rejected').length).toBeLessThan(5)
})
