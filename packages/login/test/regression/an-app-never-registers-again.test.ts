import { closeServers, ProtectedServer } from '../support/protected-server.js'
import { RawClient, readJson } from '../support/raw-client.js'

afterEach(closeServers)

// Some apps send the authorization request themselves before they open the browser, to find out whether they have to register again.
test('an app that asks for JSON learns that the server does not know it', async () => {
  const { url } = await ProtectedServer.start()
  const client = new RawClient(url)
  client.id = 'tw1.unknown.unknown'
  const open = (accept: string) => fetch(client.authorization().url, { redirect: 'manual', headers: { accept } })

  const answer = await readJson(await open('application/json'))

  expect([answer.status, answer.body['error']]).toEqual([400, 'invalid_client'])
  expect(answer.body['error_description']).toContain('register')
  for (const accept of ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', '*/*']) {
    // oxlint-disable-next-line no-await-in-loop
    const page = await open(accept)
    expect(page.headers.get('content-type')).toContain('text/html')
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  }
})
