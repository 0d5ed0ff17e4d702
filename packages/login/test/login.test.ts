import { ClientState, type Generation, generations, logInAndConnect, whoCalls } from './support/clients.js'
import { closeServers, ProtectedServer } from './support/protected-server.js'

afterEach(closeServers)

describe.each(Object.keys(generations) as Generation[])('a login with %s', (generation) => {
  test('needs nothing but the URL, and the principal has the claims of the provider', async () => {
    const server = await ProtectedServer.start()
    const client = await logInAndConnect(server.url, { generation })

    expect(await whoCalls(client)).toMatchObject({
      subject: 'ann',
      roles: ['staff'],
      scopes: ['users:read', 'users:write'],
      claims: { name: 'ANN', iss: server.company.issuer },
    })
    await client.close()
  })
})

test('a client gets no token of the provider', async () => {
  const server = await ProtectedServer.start()
  const state = new ClientState()
  await logInAndConnect(server.url, { state })

  const found = await server.company.provider.AccessToken.find(String(state.saved?.access_token))

  expect(found).toBeUndefined()
})
