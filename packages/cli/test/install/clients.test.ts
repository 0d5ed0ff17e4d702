import { clientGuides } from '../../../fastify/src/landing-page/clients.js'
import { planChange } from '../../src/install/change.js'
import { type Client, entryOf, type Machine, type Scope, type Server, startable } from '../../src/install/client.js'
import { clients } from '../../src/install/clients.js'

const listFolder = (): readonly string[] => []
const mac: Machine = { platform: 'darwin', env: {}, home: '/Users/ann', folder: '/Users/ann/words', listFolder }
const windows: Machine = {
  platform: 'win32',
  env: { APPDATA: 'C:\\Users\\ann\\AppData\\Roaming' },
  home: 'C:\\Users\\ann',
  folder: 'D:\\words',
  listFolder,
}
const linux: Machine = { platform: 'linux', env: {}, home: '/home/ann', folder: '/srv/words', listFolder }

function filesOn(machine: Machine): object {
  return Object.fromEntries(clients.map(({ id, files }) => [id, [files.user?.(machine), files.project?.(machine)]]))
}

describe('the files of clients', () => {
  test('have macOS paths on macOS', () => {
    expect(filesOn(mac)).toEqual({
      'claude-code': ['/Users/ann/.claude.json', '/Users/ann/words/.mcp.json'],
      'claude-desktop': ['/Users/ann/Library/Application Support/Claude/claude_desktop_config.json', undefined],
      cursor: ['/Users/ann/.cursor/mcp.json', '/Users/ann/words/.cursor/mcp.json'],
      vscode: ['/Users/ann/Library/Application Support/Code/User/mcp.json', '/Users/ann/words/.vscode/mcp.json'],
      codex: ['/Users/ann/.codex/config.toml', '/Users/ann/words/.codex/config.toml'],
      'gemini-cli': ['/Users/ann/.gemini/settings.json', '/Users/ann/words/.gemini/settings.json'],
      windsurf: ['/Users/ann/.codeium/windsurf/mcp_config.json', undefined],
    })
  })

  test('have Windows paths on Windows', () => {
    expect(filesOn(windows)).toEqual({
      'claude-code': ['C:\\Users\\ann\\.claude.json', 'D:\\words\\.mcp.json'],
      'claude-desktop': ['C:\\Users\\ann\\AppData\\Roaming\\Claude\\claude_desktop_config.json', undefined],
      cursor: ['C:\\Users\\ann\\.cursor\\mcp.json', 'D:\\words\\.cursor\\mcp.json'],
      vscode: ['C:\\Users\\ann\\AppData\\Roaming\\Code\\User\\mcp.json', 'D:\\words\\.vscode\\mcp.json'],
      codex: ['C:\\Users\\ann\\.codex\\config.toml', 'D:\\words\\.codex\\config.toml'],
      'gemini-cli': ['C:\\Users\\ann\\.gemini\\settings.json', 'D:\\words\\.gemini\\settings.json'],
      windsurf: ['C:\\Users\\ann\\.codeium\\windsurf\\mcp_config.json', undefined],
    })
    expect(filesOn({ ...windows, env: {} })).toEqual(filesOn(windows))
  })

  test('of Claude Desktop is in the folder of its package, if Windows has installed it as a package', () => {
    const [packages, cache] = ['D:\\local\\Packages', 'Claude_pzs8sxrjxfjjc\\LocalCache\\Roaming\\Claude']
    const machine: Machine = {
      ...windows,
      env: { LOCALAPPDATA: 'D:\\local' },
      listFolder: (folder) => (folder === packages ? ['Microsoft.Edge_8w', 'Claude_pzs8sxrjxfjjc'] : []),
    }
    expect(filesOn(machine)).toMatchObject({
      'claude-desktop': [`${packages}\\${cache}\\claude_desktop_config.json`, undefined],
      vscode: ['C:\\Users\\ann\\AppData\\Roaming\\Code\\User\\mcp.json', 'D:\\words\\.vscode\\mcp.json'],
    })
    const used = clients.find(({ id }) => id === 'claude-desktop')
    expect(used?.traces(machine)).toEqual([`${packages}\\${cache}`])
  })

  test('follow environment variables on Linux', () => {
    const env = { XDG_CONFIG_HOME: '/cfg', CLAUDE_CONFIG_DIR: '/claude', CODEX_HOME: '/codex' }
    expect(filesOn({ ...linux, env })).toMatchObject({
      'claude-code': ['/claude/.claude.json', '/srv/words/.mcp.json'],
      'claude-desktop': ['/cfg/Claude/claude_desktop_config.json', undefined],
      vscode: ['/cfg/Code/User/mcp.json', '/srv/words/.vscode/mcp.json'],
      codex: ['/codex/config.toml', '/srv/words/.codex/config.toml'],
    })
    const empty = { XDG_CONFIG_HOME: '', CLAUDE_CONFIG_DIR: '', CODEX_HOME: '' }
    expect(filesOn({ ...linux, env: empty })).toEqual(filesOn(linux))
  })
})

describe('the entries of clients', () => {
  const entriesOf = (server: Server): object =>
    Object.fromEntries(clients.map((client) => [client.id, entryOf(client, server)]))

  test('contain the command of a program', () => {
    const program = { command: '/usr/bin/node', args: ['/srv/words/dist/main.js', '--stdio'] }
    const entries = entriesOf({ ...program, env: {} })
    expect(entries).toEqual({
      'claude-code': { type: 'stdio', ...program },
      'claude-desktop': program,
      cursor: { type: 'stdio', ...program },
      vscode: { type: 'stdio', ...program },
      codex: program,
      'gemini-cli': program,
      windsurf: program,
    })
    for (const entry of Object.values(entriesOf({ ...program, env: { A: 'b' } }))) {
      expect(entry).toMatchObject({ env: { A: 'b' } })
    }
  })

  test('start a batch file with the shell of Windows, where the client cannot', () => {
    const server = { command: 'npx', args: ['-y', 'words'], env: {} }
    const wrapped = { command: 'cmd', args: ['/c', 'npx', '-y', 'words'], env: {} }
    const startedOn = (machine: Machine, scope: Scope = 'user', given: Server = server): object =>
      Object.fromEntries(clients.map((client) => [client.id, startable(given, client, machine, scope)]))
    expect(startedOn(windows)).toEqual({ ...startedOn(linux), 'claude-code': wrapped })
    // A file of the project is for all systems, and other programs are no batch files.
    expect(startedOn(windows, 'project')).toEqual(startedOn(linux))
    const program = { ...server, command: 'docker' }
    expect(startedOn(windows, 'user', program)).toEqual(startedOn(linux, 'user', program))
    const [claudeCode] = clients.filter(({ id }) => id === 'claude-code')
    const change = { client: claudeCode as Client, scope: 'user', machine: windows, name: 'words', server } as const
    expect(planChange(change).after).toContain('"command": "cmd"')
  })

  test('contain no headers for a URL without headers', () => {
    const url = 'http://10.0.0.7:3000/mcp'
    expect(entriesOf({ url, headers: {} })).toEqual({
      'claude-code': { type: 'http', url },
      // `mcp-remote` calls plain HTTP of other machines only if it may.
      'claude-desktop': { command: 'npx', args: ['-y', 'mcp-remote', url, '--allow-http'] },
      cursor: { url },
      vscode: { type: 'http', url },
      codex: { url },
      'gemini-cli': { httpUrl: url },
      windsurf: { serverUrl: url },
    })
  })

  test.each([null, { name: 'x-api-key', value: 'YOUR_KEY' }])(
    'are the same as on landing pages, with the header %j',
    (header) => {
      const url = 'http://127.0.0.1:3000/mcp'
      const guides = clientGuides({ name: 'words', url, header }).filter(({ text }) => text?.startsWith('{'))
      expect(guides.map(({ client }) => client)).toEqual(['Claude Desktop', 'Cursor', 'VS Code'])
      const headers = header === null ? {} : { [header.name]: header.value }
      for (const { client: title, text } of guides) {
        const client = clients.find((one) => one.title === title)
        expect(JSON.parse(text ?? '')).toEqual(
          client && { [client.container]: { words: entryOf(client, { url, headers }) } },
        )
      }
    },
  )
})
