import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { findSchemaErrors } from '../src/publish/server-schema.js'
import { root, runCommand } from './run-command.js'

const folders: string[] = []

afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true })))

/** Creates a folder below the package, so that programs find its dependencies. */
function createProject(manifest: object, files: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(__dirname, '..', 'dist', 'publish-test-'))
  folders.push(folder)
  for (const [path, text] of Object.entries({ ...files, 'package.json': JSON.stringify(manifest) })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return folder
}

function readServerJson(folder: string) {
  return JSON.parse(readFileSync(join(folder, 'server.json'), 'utf8'))
}

const manifest = {
  name: '@ann/hello-mcp',
  version: '1.2.0',
  description: 'Greets people',
  mcpName: 'io.github.Ann/hello-mcp',
  type: 'module',
  author: 'Ann <ann@example.com>',
  license: 'MIT',
  repository: 'github:Ann/hello-mcp',
  bin: './dist/start.js',
  files: ['dist'],
  dependencies: { toolwright: 'workspace:*' },
  devDependencies: { '@toolwright/testing': 'workspace:*' },
}

/** Requires a variable, and runs the compiled sample. */
const program = `#!/usr/bin/env node
import { loadConfig, Type } from 'toolwright'
loadConfig(Type.Object({ STATION_KEY: Type.String({ description: 'Key of the station' }) }))
await import('./main.js')
`

const example = `# Address of the server
HOST=127.0.0.1

# Greeting of the server
# in the language of the user
# GREETING=Hello
STATION_KEY=
`

function createSample(): string {
  const folder = createProject(manifest, {
    'dist/start.js': program,
    '.env.example': example,
    '.env': 'STATION_KEY=s3cret',
  })
  cpSync(join(root, 'samples', 'hello', 'dist', 'main.js'), join(folder, 'dist', 'main.js'))
  return folder
}

/** A server that is listed with its URL only. */
const remote = {
  name: 'shop',
  version: '1.0.0',
  private: true,
  description: 'A shop',
  repository: 'https://github.com/Ann/shop.git',
}
const remoteArguments = ['publish', '--remote', 'https://mcp.example.com/mcp', '--header', 'X-API-Key']

describe('toolwright publish', () => {
  it('packs a bundle that a client starts, and writes a valid server.json', async () => {
    const folder = createSample()
    const { code, stdout, stderr } = await runCommand(['publish', '--bundle'], { cwd: folder })
    expect([code, stderr]).toStrictEqual([0, ''])
    expect(stdout).toContain('npm publish --access public\n  gh release create v1.2.0 ann-hello-mcp-1.2.0.mcpb\n')
    expect(stdout).toContain('mcp-publisher login github\n  mcp-publisher publish\n')
    expect(stdout).not.toContain('s3cret')

    const file = join(folder, 'ann-hello-mcp-1.2.0.mcpb')
    const variables = [
      {
        name: 'GREETING',
        description: 'Greeting of the server in the language of the user',
        isRequired: false,
        isSecret: false,
      },
      { name: 'STATION_KEY', description: 'Key of the station', isRequired: true, isSecret: true },
    ]
    const serverJson = readServerJson(folder)
    expect(findSchemaErrors(serverJson)).toStrictEqual([])
    expect(serverJson).toStrictEqual({
      $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
      name: 'io.github.Ann/hello-mcp',
      description: 'Greets people',
      version: '1.2.0',
      repository: { url: 'https://github.com/Ann/hello-mcp', source: 'github' },
      packages: [
        {
          registryType: 'npm',
          identifier: '@ann/hello-mcp',
          version: '1.2.0',
          transport: { type: 'stdio' },
          packageArguments: [{ type: 'positional', value: '--stdio' }],
          environmentVariables: variables,
        },
        {
          registryType: 'mcpb',
          identifier: 'https://github.com/Ann/hello-mcp/releases/download/v1.2.0/ann-hello-mcp-1.2.0.mcpb',
          version: '1.2.0',
          fileSha256: createHash('sha256').update(readFileSync(file)).digest('hex'),
          transport: { type: 'stdio' },
          environmentVariables: variables,
        },
      ],
    })

    const unpacked = mkdtempSync(join(tmpdir(), 'toolwright-unpacked-'))
    folders.push(unpacked)
    const packer = join(dirname(createRequire(__filename).resolve('@anthropic-ai/mcpb')), 'cli', 'cli.js')
    await promisify(execFile)(process.execPath, [packer, 'unpack', file, unpacked])
    expect(existsSync(join(unpacked, 'node_modules', '@toolwright', 'testing'))).toBe(false)
    const { server, tools, user_config: settings } = JSON.parse(readFileSync(join(unpacked, 'manifest.json'), 'utf8'))
    expect(tools).toStrictEqual([{ name: 'say_hello', description: 'Greets a person' }])
    expect(settings.station_key).toMatchObject({ type: 'string', required: true, sensitive: true })
    expect(server.mcp_config.env).toStrictEqual({
      GREETING: '${user_config.greeting}',
      STATION_KEY: '${user_config.station_key}',
    })
    const args = server.mcp_config.args.map((each: string) => each.replace('${__dirname}', unpacked))
    const client = new Client({ name: 'test', version: '1.0.0' })
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args, env: { STATION_KEY: 'x' }, cwd: tmpdir() }),
    )
    const result = await client.callTool({ name: 'say_hello', arguments: { name: 'Ada' } })
    await client.close()
    expect(result.content).toStrictEqual([{ type: 'text', text: 'Hello, Ada!' }])

    const checked = await runCommand(['publish', '--check'], { cwd: folder })
    expect([checked.code, checked.stdout]).toStrictEqual([0, expect.stringContaining('server.json is up to date')])
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, version: '1.3.0' }))
    const outdated = await runCommand(['publish', '--check'], { cwd: folder })
    expect(outdated.code).toBe(1)
    expect(outdated.stdout).toContain('server.json is out of date: version, packages')
    expect(outdated.stdout).toContain('server.json lists the bundle of version 1.2.0')
  }, 300_000)

  it('lists everything that is missing, and writes nothing', async () => {
    const folder = createProject(
      {
        name: 'shop',
        version: '^1.0.0',
        type: 'module',
        repository: 'https://github.com/Ann/shop',
        bin: 'dist/main.js',
      },
      { 'dist/main.js': 'console.log(1)' },
    )
    const { code, stdout, stderr } = await runCommand(['publish', '--dry-run', '--json', 'dist/none.js'], {
      cwd: folder,
    })
    expect([code, stderr, existsSync(join(folder, 'server.json'))]).toStrictEqual([1, '', false])
    const { findings } = JSON.parse(stdout)
    const failed = findings.filter(({ status }: { status: string }) => status === 'fail')
    expect(failed).toStrictEqual([
      {
        check: 'name',
        status: 'fail',
        found: expect.stringContaining('no mcpName'),
        fix: 'Run: npm pkg set mcpName=io.github.Ann/shop',
      },
      { check: 'version', status: 'fail', found: "the version is '^1.0.0'", fix: expect.stringContaining('1.0.0') },
      { check: 'description', status: 'fail', found: 'package.json has no description', fix: expect.any(String) },
      { check: 'files', status: 'fail', found: "'dist/none.js' does not exist", fix: expect.stringContaining('Build') },
    ])
  })

  it('finds files that npm would leave out, and a program that npx cannot start', async () => {
    const { files: _files, bin: _bin, ...rest } = manifest
    const ignored = { '.gitignore': 'dist', 'dist/start.js': program, '.env.local': 'A=1' }
    const { code, stdout } = await runCommand(['publish', 'dist/start.js'], { cwd: createProject(rest, ignored) })
    expect(code).toBe(1)
    expect(stdout).toContain("npm would not upload 'dist/start.js'")
    expect(stdout).toContain('npm pkg set "files[]=dist"')
    expect(stdout).toContain('npm would upload .env.local')
    expect(stdout).toContain('package.json has no bin, so npx cannot start the server')
    expect(stdout).toContain('.env.example lacks STATION_KEY, which the server requires')
  })

  it('lists a private server with its URL, and keeps what people wrote', async () => {
    const folder = createProject(remote)
    const first = await runCommand([...remoteArguments, '--header', 'Authorization: Bearer {token}'], { cwd: folder })
    expect([first.code, first.stderr]).toStrictEqual([0, ''])
    expect(first.stdout).not.toContain('npm publish')
    const secret = { isRequired: true, isSecret: true }
    const written = readServerJson(folder)
    expect(findSchemaErrors(written)).toStrictEqual([])
    expect(written).toMatchObject({ name: 'io.github.Ann/shop', version: '1.0.0' })
    expect(written.remotes).toStrictEqual([
      {
        type: 'streamable-http',
        url: 'https://mcp.example.com/mcp',
        headers: [
          { name: 'X-API-Key', ...secret },
          { name: 'Authorization', value: 'Bearer {token}', ...secret, variables: { token: secret } },
        ],
      },
    ])

    const edited = { ...written, title: 'The shop', _meta: { 'example.com/note': 1 } }
    writeFileSync(join(folder, 'server.json'), JSON.stringify(edited))
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...remote, version: '1.1.0' }))
    expect((await runCommand(['publish'], { cwd: folder })).code).toBe(0)
    expect(readServerJson(folder)).toStrictEqual({ ...edited, version: '1.1.0' })
  })

  it('rejects a server.json that the schema rejects', async () => {
    const packages = [{ registryType: 'oci', identifier: 'x', transport: { type: 'http' } }]
    const texts = createProject(remote, { 'server.json': '{ "remotes": "https://mcp.example.com" }' })
    expect((await runCommand(['publish'], { cwd: texts })).stdout).toContain("'remotes' must be an array, got a string")
    const folder = createProject(remote, { 'server.json': JSON.stringify({ name: 'io.github.Ann/shop', packages }) })
    const { code, stdout } = await runCommand([...remoteArguments, '--dry-run'], { cwd: folder })
    expect(code).toBe(1)
    expect(stdout).toContain('\'packages/0/transport/type\' must be one of "stdio", "streamable-http"')
  })

  it('rejects remotes that other machines cannot reach, and values of headers', async () => {
    const folder = createProject(remote)
    const local = await runCommand(['publish', '--remote', 'http://127.0.0.1:3000/mcp'], { cwd: folder })
    expect([local.code, local.stdout]).toStrictEqual([
      1,
      expect.stringContaining("'http://127.0.0.1:3000/mcp' is not a public URL with https"),
    ])
    const secret = await runCommand([...remoteArguments, '--header', 'X-Key: s3cret'], { cwd: folder })
    expect(secret).toMatchObject({
      code: 64,
      stdout: '',
      stderr: expect.stringContaining("--header 'X-Key' has a value"),
    })
    expect(secret.stderr).not.toContain('s3cret')
    expect(existsSync(join(folder, 'server.json'))).toBe(false)
  })
})
