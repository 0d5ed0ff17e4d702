import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gateway } from '@toolwright/gateway'
import { createHost } from 'toolwright'
import { createConfigured } from '../../../docs/snippets/from-gateway/config.js'

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-'))
})

afterAll(() => rmSync(folder, { recursive: true }))

function write(name: string, source: string): string {
  const file = join(folder, name)
  writeFileSync(file, source)
  return file
}

const files = {
  'server.json':
    '\ufeff{ // comment\n "ServerInfo": { "Name": "shop", "Version": "2.1.0", "WebsiteUrl": "https://shop.example", "Icons": [{ "Src": "https://shop.example/icon.png", "Sizes": ["48x48"], "Theme": "Dark" }] } }',
  'server.yaml':
    'serverInfo:\n  name: shop\n  version: 2.1.0\n  websiteUrl: https://shop.example\n  icons:\n    - src: https://shop.example/icon.png\n      sizes: [48x48]\n      theme: dark\n',
  'server.toml':
    '[ServerInfo]\nname = "shop"\nversion = "2.1.0"\nwebsiteUrl = "https://shop.example"\n[[ServerInfo.icons]]\nsrc = "https://shop.example/icon.png"\nsizes = ["48x48"]\ntheme = "dark"\n',
}

const identity = {
  name: 'shop',
  version: '2.1.0',
  websiteUrl: 'https://shop.example',
  icons: [{ src: 'https://shop.example/icon.png', sizes: ['48x48'], theme: 'dark' }],
}

describe('the identity of a server', () => {
  test.each(Object.entries(files))('is read from %s', async (name, source) => {
    expect(await gateway({}, { config: write(name, source) })).toMatchObject(identity)
  })

  test('is read from a nested section, for a host', async () => {
    const file = write('nested.json', '{ "Mcp": { "ServerInfo": { "Name": "nested", "Version": "3.0.0" } } }')
    const host = await createConfigured(file)
    expect(host.mcp.identity).toMatchObject({ name: 'nested', version: '3.0.0' })
    await host.close()
  })

  test('is overridden by the options', async () => {
    const config = write('server.json', files['server.json'])
    expect(await gateway({ name: 'mine', title: 'Mine' }, { config })).toMatchObject({
      ...identity,
      name: 'mine',
      title: 'Mine',
    })
  })

  test('has defaults without a file', async () => {
    expect(await gateway({})).toMatchObject({ name: 'mcp-gateway', version: expect.stringMatching(/^\d/) as string })
  })

  test.each([
    ['missing.json', null, /cannot be read/],
    ['broken.toml', '[ServerInfo', /is malformed/],
    ['empty.json', '{}', /has no section 'ServerInfo'/],
    ['name.json', '{ "ServerInfo": { "Name": [] } }', /ServerInfo:name is not a string/],
    ['icons.json', '{ "ServerInfo": { "Icons": [{}] } }', /ServerInfo:icons:0 has no src/],
  ])('is rejected with the fault of %s', async (name, source, message) => {
    const config = source === null ? join(folder, name) : write(name, source)
    await expect(gateway({}, { config })).rejects.toThrow(message)
  })

  test('reports unknown and wrong options together', async () => {
    const wrong = { config: 'server.ini', healht: true, metrics: 'yes' } as object
    await expect(gateway({}, wrong)).rejects.toThrow(/healht[\s\S]*server\.ini|server\.ini[\s\S]*healht/)
  })
})

test('a host with a wrong plugin or endpoint does not start, and says why', async () => {
  const wrong = { plugins: ['x'], rpcEndpoints: [{ path: 'sse' }] } as object
  await expect(createHost(await gateway({ controllers: [], ...wrong }))).rejects.toThrow(/rpcEndpoints\[1\]/)
})
