// Logs in with clients of others, in a browser: `npm run login-clients`, or one of them: `-- inspector`. Installs them from npm.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fakeProvider } from '@toolwright/testing'
import { withPage } from '../../scripts/picture/browser.mjs'
import { run, useFolder } from '../../scripts/rehearsal/run.mjs'
import { findNewerNodes } from '../newer-node/newer-node.mjs'
import { Inspector } from './inspector.mjs'
import { McpRemote } from './mcp-remote.mjs'
import { serve, url } from './server.mjs'

const dependencies = { '@modelcontextprotocol/inspector': '2.12.0', 'mcp-remote': '0.15.1' }
const clients = {
  'mcp-remote': (parts) => new McpRemote(parts),
  inspector: (parts) => new Inspector({ ...parts, protocolEra: 'legacy' }),
  'inspector-2026-07-28': (parts) => new Inspector({ ...parts, protocolEra: 'modern' }),
}
const now = Date.now.bind(Date)

await useFolder('login-clients', async (folder) => {
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }))
  await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder, env: process.env })
  const [node] = findNewerNodes()
  for (const name of Object.keys(clients).filter((each) => each.startsWith(process.argv[2] ?? ''))) {
    process.stdout.write(`${name}\n`)
    const settings = { granted: ['notes:read'], requests: [], file: join(folder, name), secret: 'x'.repeat(32) }
    await withPage({ width: 1280, height: 900 }, (page) => logIn(clients[name]({ folder, node, url, page }), settings))
  }
})

/** Each row begins and ends with a client that is logged in. */
async function logIn(client, settings) {
  const { granted, requests } = settings
  const provider = await fakeProvider()
  let host = await serve({ provider, ...settings })
  const restart = async (changes) => {
    await host.close()
    host = await serve({ provider, ...settings, ...changes })
  }
  /** Moves the clock of server and provider. The client has its own. */
  const expire = () => {
    const aheadMs = Date.now() - now() + 125_000
    Date.now = () => now() + aheadMs
  }
  const row = async (title, paths, act, expected = `ann: ${granted.join(' ')}`) => {
    requests.length = 0
    const answer = await act()
      .then(() => client.call(expected === 'written' ? 'write' : 'who'))
      .catch((error) => error.message)
    const works = answer === expected && requests.join(' ') === paths
    if (!works) process.exitCode = 1
    process.stdout.write(works ? `  works   ${title}\n` : `  BROKEN  ${title}: ${answer} (${requests.join(' ')})\n`)
  }
  await row('login with nothing but the URL', '/register /authorize /token', () => client.start())
  await row('refresh after expiry', '/token', async () => expire())
  granted.push('notes:write')
  await row('login for another scope', '/authorize /token', async () => undefined, 'written')
  await row('restart of the server', '', () => restart().then(() => client.reconnect()))
  await row('restart of the client', '', () => client.stop().then(() => client.start()))
  provider.dismiss('ann')
  await row('login after the provider ended the session', '/token /authorize /token', async () => expire())
  await row('logout and login', '/register /authorize /token', () => client.logOut().then(() => client.start()))
  await client.stop()
  await restart({ secret: 'y'.repeat(32) })
  await row('login after a change of the secret', '/token /register /authorize /token', () => client.start())
  await client.stop()
  await host.close()
  await provider.close()
}
