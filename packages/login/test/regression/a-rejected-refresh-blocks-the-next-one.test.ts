import { gaugesOf } from '../../../../test/support/gauges.js'
import { closeServers, ProtectedServer } from '../support/protected-server.js'
import { RawClient } from '../support/raw-client.js'

afterEach(closeServers)

test('a refresh for another endpoint is rejected, and changes nothing', async () => {
  const { url, host, company } = await ProtectedServer.start({ host: { rpc: true } })
  const client = new RawClient(url)
  const tokens = await client.logInForTokens()
  const entries = gaugesOf(host.mcp, 'login_entries')

  const rejected = await client.refresh(tokens.refresh_token, { resource: `${url.origin}/rpc` })

  expect(rejected).toMatchObject({ status: 400, body: { error: 'invalid_target' } })
  expect(company.refreshes).toBe(0)
  expect(gaugesOf(host.mcp, 'login_entries')).toEqual(entries)
  expect((await client.refresh(tokens.refresh_token)).status).toBe(200)
})
