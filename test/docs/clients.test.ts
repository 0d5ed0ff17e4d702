import { type Client, entryOf, type Machine } from '../../packages/cli/src/install/client.js'
import { clients } from '../../packages/cli/src/install/clients.js'
import { expectTable } from './markdown.js'

const url = 'https://mcp.example.com/mcp'

const windows: Machine = {
  platform: 'win32',
  env: { APPDATA: '%APPDATA%' },
  home: '~',
  folder: '.',
  listFolder: () => [],
}

function fileOf(client: Client, scope: 'user' | 'project'): string {
  const file = client.files[scope]?.(windows)
  return file === undefined ? '' : `\`${file.replaceAll('\\', '/')}\``
}

/** The entry on one line, as JSON or as the lines of a table. */
function entryText(client: Client): string {
  const entry = Object.entries(entryOf(client, { url, headers: {} }))
  const lines = entry.map(([key, value]) => {
    const text = JSON.stringify(value).replaceAll(url, '…').replaceAll('","', '", "')
    return client.format === 'toml' ? `${key} = ${text}` : `"${key}": ${text}`
  })
  return client.format === 'toml' ? `\`${lines.join(' ')}\`` : `\`{ ${lines.join(', ')} }\``
}

test('the files and entries of clients on the page are those that the command writes', () => {
  const rows = clients.map((client) => [
    `\`${client.id}\``,
    fileOf(client, 'user'),
    fileOf(client, 'project'),
    `\`${client.container}\``,
    entryText(client),
  ])
  expectTable('docs/how-to/connect-clients.md', 'table: clients', rows)
})
