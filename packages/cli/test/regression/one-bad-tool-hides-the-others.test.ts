import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '../run-command.js'
import { RawServer } from '../support/raw-server.js'

const good = { name: 'good', description: 'Works', inputSchema: { type: 'object' } }
const bad = [
  { name: 'nothing', inputSchema: { type: 'object', properties: null } },
  { name: 'letter', inputSchema: { type: 'object', required: 'c' } },
]

let server: RawServer

afterEach(() => server.close())

it('toolwright leaves out tools with an invalid schema, and names them', async () => {
  server = await RawServer.start({
    'tools/list': ({ cursor }) => (cursor === undefined ? { tools: bad, nextCursor: '2' } : { tools: [good] }),
    'tools/call': () => ({ content: [{ type: 'text', text: 'worked' }] }),
  })
  const [listed, called] = [await runCommand(['list', server.url]), await runCommand(['call', server.url, 'good'])]
  expect(listed.stdout).toMatch(/\nTools: 1\n[^]*good +Works\n/)
  expect(called.stdout).toBe('worked\n')
  for (const { code, stderr } of [listed, called]) {
    expect(stderr).toBe('Left out, because the server lists them with an invalid schema: nothing, letter\n')
    expect(code).toBe(0)
  }
})

it('toolwright types writes one type for two tools of one name, and the values of maps, into a new folder', async () => {
  const map = { type: 'object', patternProperties: { '^(.*)$': { type: 'number' } } }
  const closed = { type: 'object', additionalProperties: { type: 'string' } }
  const inputSchema = { type: 'object', properties: { prices: map, names: closed }, required: ['prices', 'names'] }
  server = await RawServer.start({
    'tools/list': () => ({ tools: [good, { ...good, description: 'Again' }, { name: 'sum', inputSchema }] }),
  })
  const folder = mkdtempSync(join(tmpdir(), 'toolwright-types-'))
  const file = join(folder, 'new', 'tools.ts')
  const { code, stderr } = await runCommand(['types', server.url, '--out', file])
  const written = readFileSync(file, 'utf8')
  rmSync(folder, { recursive: true })
  expect(stderr).toContain('The server lists the tool good twice: the first one is written.\n')
  expect(written.match(/good: \{/g)).toHaveLength(1)
  expect(written).toContain('arguments: Record<string, unknown>')
  expect(written).toMatch(/prices: \{\s+\[k: string\]: number\s+\}/)
  expect(written).toMatch(/names: \{\s+\[k: string\]: string\s+\}/)
  expect(code).toBe(0)
})
