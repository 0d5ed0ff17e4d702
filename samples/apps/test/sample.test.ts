import type { Client } from '@modelcontextprotocol/client'
import { describeProgram } from '../../../test/support/program-behaviour.js'
import { type ConnectedSample, call, connectSample, programLanes } from '../../../test/support/sample.js'
import { openPage } from './page-host.js'

const uri = 'ui://spending/chart'
const mimeType = 'text/html;profile=mcp-app'
const capabilities = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: [mimeType] } } }

const april = {
  month: '2031-04',
  total: 1564,
  entries: [
    { category: 'Rent', euros: 980 },
    { category: 'Food', euros: 378 },
    { category: 'Trains', euros: 141 },
    { category: 'Garden', euros: 65 },
  ],
  months: ['2031-03', '2031-04'],
}

describeProgram('apps', ['show_spending', 'turn_page'])

describe.each(programLanes)('apps over $lane, $era', (lane) => {
  let sample: ConnectedSample
  let client: Client

  beforeAll(async () => {
    sample = await connectSample('apps', lane, {}, { capabilities })
    client = sample.client
  })

  afterAll(() => sample.close())

  it('lists the page of a result, and the tool for the page only', async () => {
    const { tools } = await client.listTools()
    expect(tools.map(({ name, _meta }) => [name, _meta])).toEqual([
      ['show_spending', { ui: { resourceUri: uri } }],
      ['turn_page', { ui: { resourceUri: uri, visibility: ['app'] } }],
    ])
  })

  it('returns a short text to clients that draw a chart, and the full text to others', async () => {
    const drawn = '1564 euros were spent in 2031-04. The user sees a chart of it.'
    const told =
      '1564 euros were spent in 2031-04.\nRent: 980 euros\nFood: 378 euros\nTrains: 141 euros\nGarden: 65 euros'
    expect(await call(client, 'show_spending', { month: '2031-04' })).toEqual({
      content: [{ type: 'text', text: drawn }],
      structuredContent: april,
    })
    const plain = await connectSample('apps', lane)
    expect(await call(plain.client, 'show_spending', { month: '2031-04' })).toEqual({
      content: [{ type: 'text', text: told }],
      structuredContent: april,
    })
    await plain.close()
  })

  it('serves a page that shows the result from its host, and loads more data itself', async () => {
    const { contents } = await client.readResource({ uri })
    const html = expect.stringMatching(/^<!doctype html>/)
    expect(contents).toEqual([{ uri, mimeType, text: html, _meta: { ui: { prefersBorder: true } } }])
    const [content] = contents
    const page = await openPage(content !== undefined && 'text' in content ? content.text : '', (name, args) =>
      client.callTool({ name, arguments: args }),
    )
    expect(page.initialized).toEqual({
      protocolVersion: '2026-01-26',
      appInfo: { name: 'spending', version: '1.0.0' },
      appCapabilities: { availableDisplayModes: ['inline'] },
    })
    const result = await client.callTool({ name: 'show_spending', arguments: { month: '2031-04' } })
    page.notify('ui/notifications/tool-result', result)
    expect(page.text('h1')).toBe('1564 euros in 2031-04')
    expect(page.texts('dt')).toEqual(['Rent', 'Food', 'Trains', 'Garden'])
    expect(page.texts('option')).toEqual(['2031-03', '2031-04'])
    await page.choose('select', '2031-03')
    expect(page.text('h1')).toBe('1532 euros in 2031-03')
    expect(page.texts('dt')).toEqual(['Rent', 'Food', 'Trains', 'Books'])
    page.close()
  })
})

describe('the page of apps', () => {
  it('treats tool results as text, loads nothing, and accepts messages of its host only', async () => {
    const sample = await connectSample('apps', { lane: 'stdio', era: 'modern' })
    const { contents } = await sample.client.readResource({ uri })
    const html = (contents[0] as { text: string }).text
    await sample.close()
    expect(html).not.toMatch(/https?:|innerHTML|src=|@import/)
    const page = await openPage(html, () => Promise.reject(new Error('not now')))
    const hostile = { ...april, entries: [{ category: '<img src=x onerror=alert(1)>', euros: 1 }] }
    page.notify('ui/notifications/tool-result', { content: [], structuredContent: hostile })
    expect(page.texts('dt')).toEqual(['<img src=x onerror=alert(1)>'])
    expect(page.texts('img')).toEqual([])
    page.notifyFromElsewhere('ui/notifications/tool-result', { content: [], structuredContent: april })
    expect(page.texts('dt')).toEqual(['<img src=x onerror=alert(1)>'])
    page.notify('ui/notifications/tool-result', { isError: true, content: [{ type: 'text', text: 'No such month.' }] })
    expect(page.text('#message')).toBe('No such month.')
    await page.choose('select', '2031-04')
    expect(page.text('#message')).toBe('not now')
    expect(await page.request('ui/resource-teardown', { reason: 'done' })).toEqual({ result: {} })
    expect(await page.request('unknown', {})).toEqual({ error: { code: -32601, message: 'Method not found: unknown' } })
    page.close()
  })
})
