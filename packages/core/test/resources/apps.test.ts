// MCP Apps: tools with a page for their results, and the pages.
import { appMimeType, McpContext, McpResource, McpTool, type ResourceContents } from '@toolwright/core'
import { canShowApps, createServer, type ServerOptions } from '@toolwright/server'
import { connect, lanes } from '@toolwright/testing'
import { pino } from 'pino'
import { openRawClient } from '../support/raw-client.js'

const html = '<!doctype html><title>Chart</title>'
const ui = {
  csp: { connectDomains: ['https://api.example.com'], resourceDomains: [], frameDomains: [], baseUriDomains: [] },
  permissions: { clipboardWrite: {} },
  domain: 'charts.example.com',
  prefersBorder: true,
}
const apps = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: [appMimeType] } } }

class Charts {
  @McpTool({ ui: { resourceUri: 'ui://charts/bar', visibility: ['model', 'app'] }, _meta: { 'example.com/n': 1 } })
  draw(context: McpContext): string {
    return canShowApps(context) ? 'Drawn below.' : 'Bars of 1, 2 and 3.'
  }

  @McpTool({ ui: { resourceUri: 'ui://boards/7' } })
  board(): string {
    return 'A board.'
  }

  @McpTool({ ui: { visibility: ['app'] } })
  refresh(): string {
    return 'Refreshed.'
  }

  @McpResource('ui://charts/bar', { description: 'Bars', ui, _meta: { 'example.com/n': 2 } })
  bar(): string {
    return html
  }

  @McpResource('ui://charts/plain')
  plain(): Uint8Array {
    return Buffer.from(html)
  }

  @McpResource('ui://charts/by-hand', { ui })
  byHand(): ResourceContents[] {
    return [{ uri: 'ui://charts/by-hand', mimeType: appMimeType, text: html, _meta: { ui: { prefersBorder: false } } }]
  }

  @McpResource('ui://charts/half-by-hand', { ui })
  halfByHand(): ResourceContents[] {
    const styles = { uri: 'ui://charts/styles', mimeType: 'text/css', text: '' }
    return [
      { uri: 'ui://charts/half-by-hand', mimeType: 'text/html', text: html, _meta: { 'example.com/n': 3 } },
      styles,
    ]
  }

  @McpResource('ui://boards/{id}', { ui: { prefersBorder: false } })
  boards({ id }: { id: string }): string {
    return `${html}${id}`
  }
}

const options: ServerOptions = { name: 'test', version: '1', controllers: [Charts], logger: pino({ level: 'silent' }) }

describe.each(lanes)('apps over $lane, $era', (lane) => {
  it('list the page of each tool, and whether the model or the app can see the tool', async () => {
    await using connection = await connect(options, lane)
    const { tools } = await connection.client.listTools()
    expect(tools.map(({ name, _meta }) => [name, _meta])).toEqual([
      ['board', { ui: { resourceUri: 'ui://boards/7' } }],
      ['draw', { 'example.com/n': 1, ui: { resourceUri: 'ui://charts/bar', visibility: ['model', 'app'] } }],
      ['refresh', { ui: { visibility: ['app'] } }],
    ])
  })

  it('list the options of pages, also in the contents', async () => {
    await using connection = await connect(options, lane)
    const { client } = connection
    const { resources } = await client.listResources()
    expect(resources.map(({ uri, mimeType, _meta }) => [uri, mimeType, _meta])).toEqual([
      ['ui://charts/bar', 'text/html;profile=mcp-app', { 'example.com/n': 2, ui }],
      ['ui://charts/by-hand', 'text/html;profile=mcp-app', { ui }],
      ['ui://charts/half-by-hand', 'text/html;profile=mcp-app', { ui }],
      ['ui://charts/plain', 'text/html;profile=mcp-app', undefined],
    ])
    const { resourceTemplates } = await client.listResourceTemplates()
    expect(resourceTemplates).toMatchObject([{ mimeType: appMimeType, _meta: { ui: { prefersBorder: false } } }])
    const read = async (uri: string) => (await client.readResource({ uri })).contents
    expect(await read('ui://charts/bar')).toEqual([
      { uri: 'ui://charts/bar', mimeType: appMimeType, text: html, _meta: { ui } },
    ])
    expect(await read('ui://charts/plain')).toEqual([
      { uri: 'ui://charts/plain', mimeType: appMimeType, blob: Buffer.from(html).toString('base64') },
    ])
    expect(await read('ui://charts/by-hand')).toMatchObject([{ text: html, _meta: { ui: { prefersBorder: false } } }])
    expect(await read('ui://charts/half-by-hand')).toEqual([
      { uri: 'ui://charts/half-by-hand', mimeType: appMimeType, text: html, _meta: { 'example.com/n': 3, ui } },
      { uri: 'ui://charts/styles', mimeType: 'text/css', text: '' },
    ])
    expect(await read('ui://boards/7')).toEqual([
      { uri: 'ui://boards/7', mimeType: appMimeType, text: `${html}7`, _meta: { ui: { prefersBorder: false } } },
    ])
  })

  test.each([
    ['a client that supports MCP app pages', apps, 'Drawn below.'],
    [
      'a client that supports other types only',
      { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/x'] } } },
      'Bars',
    ],
    ['a client that declares no types', { extensions: { 'io.modelcontextprotocol/ui': {} } }, 'Bars'],
    ['a client that does not declare the extension', {}, 'Bars'],
  ])('are supported by %s', async (_who, capabilities, words) => {
    await using connection = await connect(options, { ...lane, client: { capabilities } })
    const { content } = await connection.client.callTool({ name: 'draw' })
    expect(content).toEqual([{ type: 'text', text: expect.stringContaining(words) }])
  })
})

describe('the apps extension', () => {
  it('is declared in revisions with extensions, if there is a page', async () => {
    const server = await createServer({ ...options, controllers: [] })
    const client = openRawClient(server)
    const declared = async () => (await client.modern('server/discover', {})).result.capabilities.extensions
    expect(await declared()).toBeUndefined()
    server.catalog.addResource({ uri: 'ui://late', name: 'late', handler: () => html })
    expect(await declared()).toEqual({ 'io.modelcontextprotocol/ui': {} })
    server.catalog.removeResource('ui://late')
    expect(await declared()).toEqual({ 'io.modelcontextprotocol/ui': {} })
    const older = openRawClient(server)
    expect((await older.initialize('2025-11-25')).result.capabilities).not.toHaveProperty('extensions')
    for (const own of [client, older]) await own[Symbol.asyncDispose]()
    await server.close()
  })

  it('omits members that revisions without _meta do not support', async () => {
    const server = await createServer(options)
    const client = openRawClient(server)
    await client.initialize('2025-03-26')
    const { result } = await client.request('resources/read', { uri: 'ui://charts/bar' })
    expect(result.contents).toEqual([{ uri: 'ui://charts/bar', mimeType: appMimeType, text: html }])
    expect((await client.request('tools/list')).result.tools[0]).not.toHaveProperty('_meta')
    await client[Symbol.asyncDispose]()
    await server.close()
  })

  it('accepts a tool at run time when its page is served already', async () => {
    const server = await createServer({ ...options, controllers: [] })
    const add = () => server.catalog.addTool({ name: 'late', ui: { resourceUri: 'ui://late' }, handler: () => 'late' })
    expect(add).toThrow(
      "tool 'late': its ui.resourceUri is 'ui://late', but no such resource is served. Serve it with @McpResource, or correct the URI. [unknown-app-page]",
    )
    expect(server.catalog.tools.get('late')).toBeUndefined()
    server.catalog.addResource({ uri: 'ui://late', name: 'late', handler: () => html })
    add()
    expect(server.catalog.tools.get('late')?.ui).toEqual({ resourceUri: 'ui://late' })
    await server.close()
  })
})
