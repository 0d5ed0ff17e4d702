// Skills on the wire: the official client has no methods for them.
import { createHash } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type McpServer, McpTool } from '@toolwright/core'
import { createServer, type ServerOptions } from '@toolwright/server'
import { connect, lanes } from '@toolwright/testing'
import { pino } from 'pino'
import { makeFolder, skillText } from '../support/folders.js'
import { openRawClient, type RawMessage } from '../support/raw-client.js'

const refunds = skillText('refunds', 'license: MIT\nallowed-tools: [Bash, Read]\nmetadata: { version: 1.5, on: yes }\n')
const bytes = Buffer.from([0, 159, 146, 150])
const withMark = '\uFEFFa,b\r\n'

const folder = makeFolder({
  'acme/refunds/SKILL.md': refunds,
  'acme/refunds/scripts/pay back.py': 'print("paid")\n',
  'acme/refunds/scripts/run.ts': 'run()\n',
  'acme/refunds/assets/logo.png': bytes,
  'acme/refunds/assets/notes.txt': bytes,
  'acme/refunds/assets/table.csv': withMark,
  'acme/refunds/assets/unknown': bytes,
  'acme/refunds/assets/empty.json': '',
  'acme/refunds/.env': 'PASSWORD=hunter2',
  'acme/refunds/chargebacks/SKILL.md': skillText('chargebacks'),
  'acme/README.md': 'belongs to no skill',
  'hello/SKILL.md': `\uFEFF${skillText('hello').replaceAll('\n', '\r\n')}`,
})

const options: ServerOptions = {
  name: 'test',
  version: '1',
  skills: pathToFileURL(folder),
  logger: pino({ level: 'silent' }),
}

const file = (uri: string, content: string | Uint8Array) => ({
  uri,
  digest: `sha256:${createHash('sha256').update(content).digest('hex')}`,
  size: Buffer.byteLength(content),
})

const chargebackFiles = [file('skill://acme/refunds/chargebacks/SKILL.md', skillText('chargebacks'))]

const skills = [
  {
    uri: 'skill://acme/refunds/SKILL.md',
    frontmatter: {
      name: 'refunds',
      description: 'Does what refunds does',
      license: 'MIT',
      'allowed-tools': ['Bash', 'Read'],
      metadata: { version: 1.5, on: 'yes' },
    },
    resources: [
      file('skill://acme/refunds/SKILL.md', refunds),
      file('skill://acme/refunds/assets/empty.json', ''),
      file('skill://acme/refunds/assets/logo.png', bytes),
      file('skill://acme/refunds/assets/notes.txt', bytes),
      file('skill://acme/refunds/assets/table.csv', withMark),
      file('skill://acme/refunds/assets/unknown', bytes),
      ...chargebackFiles,
      file('skill://acme/refunds/scripts/pay%20back.py', 'print("paid")\n'),
      file('skill://acme/refunds/scripts/run.ts', 'run()\n'),
    ],
  },
  {
    uri: 'skill://acme/refunds/chargebacks/SKILL.md',
    frontmatter: { name: 'chargebacks', description: 'Does what chargebacks does' },
    resources: chargebackFiles,
  },
  {
    uri: 'skill://hello/SKILL.md',
    frontmatter: { name: 'hello', description: 'Does what hello does' },
    resources: [file('skill://hello/SKILL.md', `\uFEFF${skillText('hello').replaceAll('\n', '\r\n')}`)],
  },
]

const main = 'skill://acme/refunds/SKILL.md'

describe('skills', () => {
  let server: McpServer
  let client: ReturnType<typeof openRawClient>

  beforeAll(async () => {
    server = await createServer(options)
    client = openRawClient(server)
  })

  afterAll(async () => {
    await client[Symbol.asyncDispose]()
    await server.close()
  })

  const ask = async (method: string, params = {}): Promise<RawMessage> => {
    const { result, error } = await client.modern(method, params)
    return result ?? error
  }
  const invalid = (message: unknown) => ({ code: -32602, message })

  it('declare the extension with its features, and resources', async () => {
    const { capabilities } = await ask('server/discover')
    expect(capabilities.extensions).toEqual({ 'io.modelcontextprotocol/skills': { directoryRead: true } })
    expect(capabilities.resources).toBeDefined()
  })

  it('are listed with their front matter and a digest of every file, including those of nested skills', async () => {
    expect(await ask('skills/list')).toEqual({
      resultType: 'complete',
      skills,
      ttlMs: 0,
      cacheScope: 'private',
      _meta: expect.anything(),
    })
  })

  it('disappear from all lists while their SKILL.md is disabled', async () => {
    const uri = 'skill://hello/SKILL.md'
    const directory = { uri: 'skill://hello' }
    const listed = async (): Promise<unknown> => [
      (await ask('skills/list')).skills.map((skill: RawMessage) => skill.uri).includes(uri),
      await ask('skills/get', { uri }),
      (await ask('resources/directory/read', directory)).resources?.length ?? 'none',
    ]
    expect(await listed()).toEqual([true, expect.objectContaining({ resultType: 'complete' }), 1])
    server.catalog.disable(uri)
    expect(await listed()).toEqual([false, invalid(`No skill is served at ${uri}`), 'none'])
    server.catalog.enable(uri)
    expect(await listed()).toEqual([true, expect.objectContaining({ resultType: 'complete' }), 1])
  })

  it('can be read one by one, without a cursor', async () => {
    expect(await ask('skills/get', { uri: skills[1]?.uri })).toEqual({
      resultType: 'complete',
      skill: skills[1],
      ttlMs: 0,
      cacheScope: 'private',
      _meta: expect.anything(),
    })
  })

  it('are found by the URI of their SKILL.md only', async () => {
    for (const uri of ['skill://acme/refunds', 'skill://acme/refunds/scripts/run.ts', 'skill://nowhere/SKILL.md']) {
      // oxlint-disable-next-line no-await-in-loop
      expect(await ask('skills/get', { uri })).toEqual(invalid(`No skill is served at ${uri}`))
    }
    expect(await ask('skills/get')).toEqual(invalid('Invalid params: "uri" must be a string'))
  })

  it('contain files that match their digests byte by byte', async () => {
    for (const { uri, digest, size } of skills.flatMap(({ resources }) => resources)) {
      // oxlint-disable-next-line no-await-in-loop
      const { contents } = await ask('resources/read', { uri })
      const [{ text, blob }] = contents
      const read = text === undefined ? Buffer.from(blob, 'base64') : Buffer.from(text)
      expect(file(uri, read)).toEqual({ uri, digest, size })
    }
  })

  it('list files as resources, as text if they are valid text, regardless of their names', async () => {
    const { resources } = await ask('resources/list')
    const types = resources.map(({ uri, name, mimeType }: RawMessage) => [
      uri.replace('skill://acme/refunds/', ''),
      name,
      mimeType,
    ])
    expect(types).toEqual([
      ['SKILL.md', 'refunds', 'text/markdown'],
      ['assets/empty.json', 'empty.json', 'application/json'],
      ['assets/logo.png', 'logo.png', 'image/png'],
      ['assets/notes.txt', 'notes.txt', 'application/octet-stream'],
      ['assets/table.csv', 'table.csv', 'text/csv'],
      ['assets/unknown', 'unknown', 'application/octet-stream'],
      ['chargebacks/SKILL.md', 'chargebacks', 'text/markdown'],
      ['scripts/pay%20back.py', 'pay back.py', 'text/plain'],
      ['scripts/run.ts', 'run.ts', 'text/plain'],
      ['skill://hello/SKILL.md', 'hello', 'text/markdown'],
    ])
    expect(resources[0]).toEqual({
      uri: main,
      name: 'refunds',
      description: 'Does what refunds does',
      mimeType: 'text/markdown',
      size: Buffer.byteLength(refunds),
    })
  })

  it('serve listed files only', async () => {
    const strangers = [
      'skill://acme/README.md',
      'skill://acme/refunds/.env',
      'skill://acme/refunds/',
      'skill://acme/refunds/../../etc/passwd',
      'skill://acme/refunds/scripts/../SKILL.md',
      'skill://acme/refunds/scripts/pay%2520back.py',
      'skill://acme/refunds/%2e%2e/README.md',
      pathToFileURL(join(folder, 'acme', 'README.md')).href,
    ]
    for (const uri of strangers) {
      // oxlint-disable-next-line no-await-in-loop
      expect(await ask('resources/read', { uri })).toEqual({
        code: -32602,
        message: 'Resource not found',
        data: { uri },
      })
    }
  })

  it('list the direct children of each folder, and reject files', async () => {
    const children = async (uri: string) => (await ask('resources/directory/read', { uri })).resources
    const folderOf = (uri: string, name: string) => ({ uri, name, mimeType: 'inode/directory' })
    const { resources } = await ask('resources/list')
    expect(await children('skill://acme/refunds')).toEqual([
      resources[0],
      folderOf('skill://acme/refunds/assets', 'assets'),
      folderOf('skill://acme/refunds/chargebacks', 'chargebacks'),
      folderOf('skill://acme/refunds/scripts', 'scripts'),
    ])
    expect(await children('skill://acme')).toEqual([folderOf('skill://acme/refunds', 'refunds')])
    expect(await children('skill://acme/refunds/scripts')).toEqual([resources[7], resources[8]])
    for (const uri of [main, 'skill://acme/refunds/', 'skill://nowhere', 'skill:/', 'skill://', '__proto__']) {
      // oxlint-disable-next-line no-await-in-loop
      expect(await ask('resources/directory/read', { uri })).toEqual(invalid(`${uri} is not a directory resource`))
    }
  })

  it('serve the contents read at boot, so that digests match', async () => {
    const changing = makeFolder({ 'fixed/SKILL.md': skillText('fixed') })
    const other = await createServer({ ...options, skills: changing })
    appendFileSync(join(changing, 'fixed', 'SKILL.md'), 'changed')
    const own = openRawClient(other)
    const { result } = await own.modern('resources/read', { uri: 'skill://fixed/SKILL.md' })
    expect(result.contents[0].text).toBe(skillText('fixed'))
    await own[Symbol.asyncDispose]()
    await other.close()
  })

  it('and folders are paged, and reject cursors of other folders', async () => {
    const paged = await createServer({ ...options, pageSize: 2 })
    const own = openRawClient(paged)
    const page = async (method: string, params: object) => (await own.modern(method, params)).result
    const first = await page('skills/list', {})
    const second = await page('skills/list', { cursor: first.nextCursor })
    expect([...first.skills, ...second.skills]).toEqual(skills)
    expect(second.nextCursor).toBeUndefined()
    const uri = 'skill://acme/refunds'
    const { resources, nextCursor: cursor } = await page('resources/directory/read', { uri })
    expect(resources).toHaveLength(2)
    expect((await page('resources/directory/read', { uri, cursor })).resources).toHaveLength(2)
    const elsewhere = await own.modern('resources/directory/read', { uri: 'skill://acme/refunds/assets', cursor })
    expect(elsewhere.error).toMatchObject({ code: -32602 })
    await own[Symbol.asyncDispose]()
    await paged.close()
  })

  it('are resources in older revisions, without the methods of the extension', async () => {
    const own = openRawClient(server)
    const { result } = await own.initialize('2025-11-25')
    expect(result.capabilities).not.toHaveProperty('extensions')
    expect((await own.request('resources/read', { uri: main })).result.contents[0].text).toBe(refunds)
    for (const method of ['skills/list', 'skills/get', 'resources/directory/read']) {
      // oxlint-disable-next-line no-await-in-loop
      expect((await own.request(method, { uri: main })).error.code).toBe(-32601)
    }
    await own[Symbol.asyncDispose]()
  })
})

class Tools {
  @McpTool()
  ping(): string {
    return 'pong'
  }
}

test('a server without skills does not declare them and has none of their methods', async () => {
  const server = await createServer({ ...options, skills: [], controllers: [Tools] })
  const client = openRawClient(server)
  expect((await client.modern('server/discover', {})).result.capabilities).not.toHaveProperty('extensions')
  for (const method of ['skills/list', 'skills/get', 'resources/directory/read']) {
    // oxlint-disable-next-line no-await-in-loop
    expect((await client.modern(method, { uri: main })).error.code).toBe(-32601)
  }
  await client[Symbol.asyncDispose]()
  await server.close()
})

describe.each(lanes)('skills over $lane, $era', (lane) => {
  it('are resources to the official client', async () => {
    await using connection = await connect(options, lane)
    expect((await connection.client.readResource({ uri: main })).contents).toEqual([
      { uri: main, mimeType: 'text/markdown', text: refunds },
    ])
  })
})
