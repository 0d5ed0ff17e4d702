import Fastify from 'fastify'
import type { Browser, Page } from 'puppeteer-core'
import { describeInBrowser, launchBrowser } from '../../../../test/support/browser.js'
import { inspector } from '../../src/index.js'
import { startHttp, startInspector, token } from '../support/inspect-elsewhere.js'
import { InspectorPage } from '../support/inspector-page.js'
import { type Started, startWorkshop } from '../support/workshop.js'

const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })

describe('an inspector that forwards to another server', () => {
  let target: Started
  let inspected: Started
  const received: unknown[] = []

  beforeAll(async () => {
    target = await startHttp(({ headers }, response) => {
      received.push(headers)
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"jsonrpc":"2.0","id":1,"result":{}}')
    })
    inspected = await startInspector(target.url)
  })

  afterAll(async () => {
    await inspected.close()
    await target.close()
  })

  const post = (headers: Record<string, string>): Promise<Response> =>
    fetch(`${inspected.url}/mcp`, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } })

  test.each([
    ['without the token', {}],
    ['with a wrong token', { 'inspector-token': token.replace('a', 'b') }],
    ['with text/plain', { 'content-type': 'text/plain' }],
  ])('rejects requests of other users, %s, and sends nothing', async (_request, headers) => {
    const response = await post(headers)
    expect(response.status).toBe(403)
    expect(await response.text()).toContain('the token is missing or wrong')
    expect(received).toEqual([])
  })

  test('forwards requests with the token, but not the token itself', async () => {
    const response = await post({ 'inspector-token': token })
    expect(response.status).toBe(200)
    expect(received.splice(0)).toEqual([expect.objectContaining({ authorization: 'Bearer SECRET' })])
  })

  test('serves the page without the token, and shows neither the query of the URL nor its password there', async () => {
    const secret = await startInspector(target.url.replace('//', '//ann:pass@') + '?key=hidden')
    const html = await (await fetch(`${secret.url}/inspector`)).text()
    await secret.close()
    expect(/data-target="([^"]*)"/.exec(html)?.[1]).toBe(target.url)
    expect(html.includes('key=hidden') || html.includes('ann:pass')).toBe(false)
  })

  test('does not start without a token', async () => {
    const app = Fastify()
    await expect(app.register(inspector, { forward: { url: target.url } })).rejects.toThrow(
      /`forward` needs a `token`.*randomBytes/,
    )
    await app.close()
  })
})

describeInBrowser('the page of an inspector with a token', () => {
  let browser: Browser
  let workshop: Started
  let inspected: Started

  beforeAll(async () => {
    ;[browser, workshop] = await Promise.all([launchBrowser(), startWorkshop()])
    inspected = await startInspector(workshop.url.replace('/inspector', '/mcp'))
  })

  afterAll(async () => {
    await browser.close()
    await Promise.all([workshop.close(), inspected.close()])
  })

  test('takes the token from its address, keeps it for the tab, and removes it from the address', async () => {
    const [first] = await browser.pages()
    const page = new InspectorPage(first as Page)
    await page.open(`${inspected.url}/inspector`, `#token=${token}`)
    expect(page.page.url()).toBe(`${inspected.url}/inspector`)
    await page.page.reload()
    await page.waitFor('[data-state=ready]')
    await page.show('#/tools/add')
    await page.fill('a', '2')
    await page.fill('b', '40')
    await page.call()
    expect(await page.text('.structured [aria-label="Structured result"]')).toBe('{\n  "sum": 42\n}')
    expect(await page.text('.run-frames')).not.toContain('inspector-token')
    expect(page.errors).toEqual([])
  })

  test('says what is missing if it was opened without the token', async () => {
    const page = new InspectorPage(await browser.newPage())
    await page.page.goto(`${inspected.url}/inspector`)
    await page.waitFor('.banner')
    expect(await page.text('.banner')).toContain('Open the printed address of the inspector')
  })
})
