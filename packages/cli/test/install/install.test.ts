import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { createMachine, type TestMachine } from './run-install.js'

// With the real command, in a home folder of Linux.

let machine: TestMachine

beforeEach(() => {
  machine = createMachine()
})

afterEach(() => machine.delete())

const http = ['--name', 'words', '--url', 'https://mcp.example.com/mcp', '--header', 'X-API-Key: key-of-ann']

/** The configuration of a client before and after. */
interface Case {
  readonly client: string
  readonly file: string
  readonly before: string
  readonly after: string
}

const every: readonly Case[] = [
  {
    client: 'claude-code',
    file: '.claude.json',
    before: `{
  "numStartups": 12,
  "mcpServers": {
    "github": { "type": "stdio", "command": "npx", "args": ["-y", "server-github"] }
  },
  "projects": { "/home/ann/a": { "mcpServers": { "words": { "command": "mine" } } } }
}
`,
    after: `{
  "numStartups": 12,
  "mcpServers": {
    "github": { "type": "stdio", "command": "npx", "args": ["-y", "server-github"] },
    "words": {
      "type": "http",
      "url": "https://mcp.example.com/mcp",
      "headers": {
        "X-API-Key": "key-of-ann"
      }
    }
  },
  "projects": { "/home/ann/a": { "mcpServers": { "words": { "command": "mine" } } } }
}
`,
  },
  {
    client: 'claude-desktop',
    file: '.config/Claude/claude_desktop_config.json',
    before: `{
    "globalShortcut": "Ctrl+Space",
    "mcpServers": {}
}`,
    after: `{
    "globalShortcut": "Ctrl+Space",
    "mcpServers": {
        "words": {
            "command": "npx",
            "args": [
                "-y",
                "mcp-remote",
                "https://mcp.example.com/mcp",
                "--header",
                "X-API-Key:\${HEADER_1}"
            ],
            "env": {
                "HEADER_1": "key-of-ann"
            }
        }
    }
}`,
  },
  {
    client: 'cursor',
    file: '.cursor/mcp.json',
    before: `{
\t// servers of Ann
\t"mcpServers": {
\t\t"github": {
\t\t\t"url": "https://github.example.com", // with a token
\t\t\t"headers": { "Authorization": "Bearer token-of-ann" }
\t\t} // the last one
\t}
}
`,
    after: `{
\t// servers of Ann
\t"mcpServers": {
\t\t"github": {
\t\t\t"url": "https://github.example.com", // with a token
\t\t\t"headers": { "Authorization": "Bearer token-of-ann" }
\t\t}, // the last one
\t\t"words": {
\t\t\t"url": "https://mcp.example.com/mcp",
\t\t\t"headers": {
\t\t\t\t"X-API-Key": "key-of-ann"
\t\t\t}
\t\t}
\t}
}
`,
  },
  {
    client: 'vscode',
    file: '.config/Code/User/mcp.json',
    before: `{
  "servers": {
    "github": { "type": "http", "url": "https://github.example.com" }, // trailing comma
  },
  "inputs": [],
}
`,
    after: `{
  "servers": {
    "github": { "type": "http", "url": "https://github.example.com" }, // trailing comma
    "words": {
      "type": "http",
      "url": "https://mcp.example.com/mcp",
      "headers": {
        "X-API-Key": "key-of-ann"
      }
    },
  },
  "inputs": [],
}
`,
  },
  {
    client: 'codex',
    file: '.codex/config.toml',
    before: `# Codex of Ann
model = "gpt-5"   # the good one

[mcp_servers.github]
# needs a token
command = "npx"
args = [ "-y", 'server-github' ]
env = { TOKEN = "token-of-ann" }

[profiles.fast]
model = "gpt-5-mini"
# the end
`,
    after: `# Codex of Ann
model = "gpt-5"   # the good one

[mcp_servers.github]
# needs a token
command = "npx"
args = [ "-y", 'server-github' ]
env = { TOKEN = "token-of-ann" }

[profiles.fast]
model = "gpt-5-mini"
# the end

[mcp_servers.words]
url = "https://mcp.example.com/mcp"
http_headers = { X-API-Key = "key-of-ann" }
`,
  },
  {
    client: 'gemini-cli',
    file: '.gemini/settings.json',
    before: `{
  "theme": "Dracula", // dark
  "telemetry": { "enabled": false } // never
}
`,
    after: `{
  "theme": "Dracula", // dark
  "telemetry": { "enabled": false }, // never
  "mcpServers": {
    "words": {
      "httpUrl": "https://mcp.example.com/mcp",
      "headers": {
        "X-API-Key": "key-of-ann"
      }
    }
  }
}
`,
  },
  {
    client: 'windsurf',
    file: '.codeium/windsurf/mcp_config.json',
    before: `{"mcpServers":{"github":{"command":"npx","args":["server-github"],"disabled":true}}}`,
    after:
      `{"mcpServers":{"github":{"command":"npx","args":["server-github"],"disabled":true},` +
      `"words":{"serverUrl":"https://mcp.example.com/mcp","headers":{"X-API-Key":"key-of-ann"}}}}`,
  },
]

describe('toolwright install', () => {
  test('adds a server for every client once, and removes it again', () => {
    const ids = every.map(({ client }) => client)
    const fileOf = ({ file }: Case): string => join(machine.home, file)
    const texts = (): readonly string[] => every.map((one) => readFileSync(fileOf(one), 'utf8'))
    const modes = (): readonly number[] => every.map((one) => statSync(fileOf(one)).mode & 0o777)
    const backups = (): readonly string[] =>
      every.flatMap((one) => {
        const folder = dirname(fileOf(one))
        return readdirSync(folder)
          .filter((name) => /bak|tmp/.test(name))
          .map((name) => join(folder, name))
      })
    for (const { file, before } of every) chmodSync(machine.write(file, before), 0o640)

    const added = machine.install(...ids, ...http, '--yes')
    expect(added).toMatchObject({ code: 0, stderr: '' })
    expect(texts()).toEqual(every.map(({ after }) => after))
    expect(modes()).toEqual(every.map(() => 0o640))
    expect(backups().map((file) => readFileSync(file, 'utf8'))).toEqual(every.map(({ before }) => before))
    for (const backup of backups()) expect(added.stdout).toContain(`Backup: ${backup}\n`)

    expect(machine.install(...ids, ...http, '--yes').stdout).toContain('Nothing to change.')
    expect(texts()).toEqual(every.map(({ after }) => after))
    expect(backups()).toHaveLength(every.length)

    const removed = machine.install(...ids, '--remove', '--yes')
    expect(removed).toMatchObject({ code: 0, stderr: '' })
    expect(texts()).toEqual(every.map(({ before }) => before))
    expect(modes()).toEqual(every.map(() => 0o640))
    expect(backups()).toEqual([])
    // Neither the new secrets nor those of other servers.
    expect(added.stdout + removed.stdout).not.toMatch(/-of-ann/)
  })

  test('creates files that only their user can read, and deletes them again', () => {
    const ids = every.map(({ client }) => client)
    const files = every.map(({ file }) => join(machine.home, file))
    const { code } = machine.install(...ids, '--stdio', 'node dist/main.js --stdio', '--env', 'TOKEN=x', '--yes')
    expect(code).toBe(0)
    expect(files.map((file) => statSync(file).mode & 0o777)).toEqual(files.map(() => 0o600))
    for (const text of files.map((file) => readFileSync(file, 'utf8'))) {
      for (const part of [process.execPath, join(machine.project, 'dist/main.js'), '--stdio', 'TOKEN']) {
        expect(text).toContain(part)
      }
    }
    expect(machine.install(...ids, '--remove', '--yes').code).toBe(0)
    expect(files.filter((file) => existsSync(file))).toEqual([])
  })

  test('removes a server from a file that was changed since', () => {
    const file = machine.write('.cursor/mcp.json', '{\n  "mcpServers": {\n    "a": { "url": "http://a" }\n  }\n}\n')
    machine.install('cursor', ...http, '--yes')
    writeFileSync(file, readFileSync(file, 'utf8').replace('"a"', '"b"'))
    expect(machine.install('cursor', '--remove', '--yes').stdout).toContain('Backup:')
    expect(readFileSync(file, 'utf8')).toBe('{\n  "mcpServers": {\n    "b": { "url": "http://a" }\n  }\n}\n')
  })

  test('updates a server, and keeps its other fields and comments', () => {
    const file = machine.write(
      '.cursor/mcp.json',
      `{
  "mcpServers": {
    "words": {
      // switched off by Ann
      "disabled": true,
      "command": "node",
      "args": ["old.js"]
    }
  }
}
`,
    )
    expect(machine.install('cursor', '--url', 'http://127.0.0.1:3000/mcp', '--yes').stdout).toContain(
      'Updated words in Cursor',
    )
    expect(readFileSync(file, 'utf8')).toBe(`{
  "mcpServers": {
    "words": {
      // switched off by Ann
      "disabled": true,
      "url": "http://127.0.0.1:3000/mcp"
    }
  }
}
`)
    const toml = machine.write('.codex/config.toml', '[mcp_servers.words]\nurl = "http://old"\nenabled = false # off\n')
    machine.install('codex', '--url', 'http://127.0.0.1:3000/mcp', '--yes')
    expect(readFileSync(toml, 'utf8')).toBe(
      '[mcp_servers.words]\nurl = "http://127.0.0.1:3000/mcp"\nenabled = false # off\n',
    )
  })

  test('writes the configuration of a project', () => {
    const clients = ['claude-code', 'cursor', 'vscode', 'codex', 'gemini-cli']
    const { code, stdout } = machine.install(...clients, 'dist/main.js', '--scope', 'project', '--yes', '--json')
    expect(code).toBe(0)
    const files = ['.mcp.json', '.cursor/mcp.json', '.vscode/mcp.json', '.codex/config.toml', '.gemini/settings.json']
    expect(JSON.parse(stdout)).toEqual({
      name: 'words',
      dryRun: false,
      clients: files.map((file, index) => ({
        client: clients[index],
        scope: 'project',
        file: join(machine.project, file),
        change: 'added',
        backup: null,
      })),
    })
    for (const file of files) expect(readFileSync(join(machine.project, file), 'utf8')).toContain(process.execPath)
    expect(machine.install('windsurf', '--scope', 'project', '--yes')).toMatchObject({
      code: 1,
      stderr: 'Windsurf has no configuration per project. Leave out --scope project.\n',
    })
  })

  test('changes neither broken files nor the files of other clients', () => {
    const json = '{\n  "mcpServers": {\n    "key": "secret-of-ann"\n    "b": {}\n  }\n}\n'
    const toml = 'key = "secret-of-ann"\nmodel = "secret-of-ann\n'
    const broken = [machine.write('.cursor/mcp.json', json), machine.write('.codex/config.toml', toml)]
    const { code, stderr, stdout } = machine.install('cursor', 'codex', 'vscode', ...http, '--yes')
    expect(code).toBe(1)
    expect(stderr).toContain(`${broken[0]}:4:5: comma expected. The file was not changed.`)
    expect(stderr).toMatch(/config\.toml:2:\d+: .+\. The file was not changed\./)
    expect(stderr + stdout).not.toContain('secret-of-ann')
    expect(broken.map((file) => readFileSync(file, 'utf8'))).toEqual([json, toml])
    expect(readdirSync(machine.home).toSorted()).toEqual(['.codex', '.cursor', 'project'])
  })

  test('asks nothing without a terminal, and writes only with --yes', () => {
    expect(machine.install('cursor', ...http)).toMatchObject({
      code: 64,
      stderr: 'Nothing was written. Give --yes to write, or --dry-run to only show the changes.\n',
    })
    expect(machine.install('cursor', ...http, '--dry-run')).toMatchObject({ code: 0, stderr: '' })
    expect(machine.install()).toMatchObject({
      code: 64,
      stderr: expect.stringContaining('Give the clients: claude-code'),
    })
    expect(readdirSync(machine.home)).toEqual(['project'])
  })

  test('shows the difference in plain text where it is piped', () => {
    machine.write('.cursor/mcp.json', '{\n  "mcpServers": {\n    "a": { "url": "http://a" }\n  }\n}\n')
    const { stdout } = machine.install('cursor', '--url', 'http://127.0.0.1:3000/mcp?key=secret', '--dry-run')
    expect(stdout).toBe(`Cursor  ${machine.home}/.cursor/mcp.json
    {
      "mcpServers": {
  -     "a": { "url": "…" }
  +     "a": { "url": "…" },
  +     "words": {
  +       "url": "http://127.0.0.1:3000/mcp?key=…"
  +     }
      }
    }

Nothing was written (--dry-run).
`)
  })

  test('keeps a symbolic link, and reports a folder that cannot be written', () => {
    const file = machine.write('dotfiles/cursor.json', '{}\n')
    mkdirSync(join(machine.home, '.cursor'))
    symlinkSync(file, join(machine.home, '.cursor/mcp.json'))
    machine.install('cursor', ...http, '--yes')
    expect(lstatSync(join(machine.home, '.cursor/mcp.json')).isSymbolicLink()).toBe(true)
    expect(readFileSync(file, 'utf8')).toContain('"words"')
    machine.write('.codex', 'a file in place of the folder')
    const { code, stderr } = machine.install('codex', ...http, '--yes')
    expect(code).toBe(1)
    expect(stderr).toMatch(/^\S+\.codex\/config\.toml cannot be changed: not a directory \(ENOTDIR\)\.\n$/)
  })

  test('writes a program that a client can start', async () => {
    const entry = join(__dirname, '..', '..', '..', '..', 'samples', 'calculator', 'dist', 'main.js')
    machine.install('cursor', entry, '--name', 'calculator', '--yes')
    const { mcpServers } = JSON.parse(readFileSync(join(machine.home, '.cursor/mcp.json'), 'utf8'))
    const { command, args } = mcpServers.calculator
    const client = new Client({ name: 'test', version: '1.0.0' })
    // In another folder, as clients do.
    await client.connect(new StdioClientTransport({ command, args, cwd: machine.home, stderr: 'ignore' }))
    expect((await client.listTools()).tools.length).toBeGreaterThan(0)
    await client.close()
  })
})
