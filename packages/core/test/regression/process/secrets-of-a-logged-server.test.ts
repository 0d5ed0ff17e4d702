import { inspect } from 'node:util'
import { createServer } from '@toolwright/core'

test('a server that an application logs does not show its secrets', async () => {
  const secret = 'the-secret-of-the-rounds-of-this-server'
  const server = await createServer({
    name: 'logged',
    version: '1',
    controllers: [],
    requestState: { keys: [secret] },
  })
  expect(inspect(server, { depth: Number.POSITIVE_INFINITY })).not.toContain(secret)
  await server.close()
})
