import type { Browser } from 'puppeteer-core'
import { describeInBrowser, launchBrowser } from '../../../../test/support/browser.js'
import { startHttp, startInspector, token } from '../support/inspect-elsewhere.js'
import type { Started } from '../support/workshop.js'

const html = '<script>document.title = "ran"</script>'

/** Responds with the status and type that the request names, and with headers that change a browser. */
function startHostile(): Promise<Started> {
  return startHttp(({ headers }, response) => {
    const { 'x-status': status = '200', 'x-type': type = 'text/html' } = headers
    response.writeHead(Number(status), {
      'content-type': String(type),
      'service-worker-allowed': '/',
      link: '</x>; rel=preload',
      refresh: '0; url=/inspector',
      'clear-site-data': '"storage"',
      'content-security-policy': "default-src 'unsafe-inline'",
      'www-authenticate': 'Basic realm="Password of your machine"',
      'mcp-session-id': 'one',
    })
    response.end(String(type).includes('json') ? '{}' : html)
  })
}

describe('an inspector of a hostile server', () => {
  let hostile: Started
  let inspected: Started

  beforeAll(async () => {
    hostile = await startHostile()
    inspected = await startInspector(hostile.url)
  })

  afterAll(async () => {
    await inspected.close()
    await hostile.close()
  })

  const get = (headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${inspected.url}/mcp`, { headers: { 'inspector-token': token, ...headers } })

  test.each(['text/html', 'text/javascript', 'application/xhtml+xml', 'image/svg+xml'])(
    'does not return a body of type %s',
    async (type) => {
      const response = await get({ 'x-type': type })
      expect(response.status).toBe(502)
      expect(await response.json()).toEqual({
        error: `The server responded with ${type}, which is not a message of MCP.`,
      })
    },
  )

  test('returns only the headers that MCP needs, and a policy', async () => {
    const { headers } = await get({ 'x-type': 'application/json; charset=utf-8' })
    const names = [...headers.keys()].filter((name) => !['connection', 'date', 'keep-alive'].includes(name))
    expect(names.toSorted()).toEqual([
      'cache-control',
      'content-security-policy',
      'content-type',
      'cross-origin-resource-policy',
      'mcp-session-id',
      'referrer-policy',
      'transfer-encoding',
      'x-content-type-options',
    ])
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })

  test('returns the description of an error as plain text', async () => {
    const response = await get({ 'x-status': '500' })
    expect([response.status, response.headers.get('content-type')]).toEqual([500, 'text/plain; charset=utf-8'])
    expect(await response.text()).toBe(html)
  })

  test.each(['document', 'iframe', 'serviceworker', 'script'])('rejects a browser that loads a %s', async (type) => {
    const response = await get({ 'sec-fetch-dest': type, 'x-type': 'application/json' })
    expect(response.status).toBe(403)
  })
})

describeInBrowser('a browser that opens the endpoint of the inspector', () => {
  test('runs no script of the inspected server', async () => {
    const [browser, hostile]: [Browser, Started] = await Promise.all([launchBrowser(), startHostile()])
    const inspected = await startInspector(hostile.url)
    const [page] = await browser.pages()
    const response = await page?.goto(`${inspected.url}/mcp`)
    const title = await page?.title()
    await browser.close()
    await Promise.all([inspected.close(), hostile.close()])
    expect([response?.status(), title]).toEqual([403, ''])
  })
})
