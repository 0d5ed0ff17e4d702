import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import axe, { type AxeResults } from 'axe-core'
import type { Browser, Page } from 'puppeteer-core'
import { describeInBrowser, launchBrowser } from '../../../test/support/browser.js'
import { closeServers, ProtectedServer } from './support/protected-server.js'
import { RawClient } from './support/raw-client.js'

/** Folder for screenshots, to look at the pages. */
const { LOGIN_SCREENSHOTS: screenshots } = process.env

describeInBrowser('the consent page in a browser', () => {
  let browser: Browser
  let app: Server
  let problems: string[] = []

  beforeAll(async () => {
    browser = await launchBrowser()
    // The app that waits for the user.
    app = createServer((request, response) => {
      const target = new URL(request.url ?? '', 'http://localhost').searchParams.get('link')
      const link = target === null ? '' : `<a href="${target.replaceAll('&', '&amp;')}">Log in</a>`
      response.writeHead(200, { 'content-type': 'text/html' }).end(`<h1>Back</h1>${link}`)
    })
    await once(app.listen(0, '127.0.0.1'), 'listening')
  })

  afterEach(async () => {
    problems = []
    await closeServers()
  })

  afterAll(async () => {
    await browser.close()
    app.closeAllConnections()
    app.close()
  })

  async function open(
    options = {},
  ): Promise<{ page: Page; client: RawClient; server: ProtectedServer; verifier: string }> {
    const server = await ProtectedServer.start(options)
    const client = new RawClient(server.url, `http://127.0.0.1:${(app.address() as AddressInfo).port}/callback`)
    await client.register({ client_name: 'Claude' })
    const context = await browser.createBrowserContext()
    const page = await context.newPage()
    page.on('console', (message) => problems.push(message.text()))
    page.on('pageerror', (error) => problems.push(String(error)))
    await page.setJavaScriptEnabled(false)
    const { url, verifier } = client.authorization({ scope: 'users:read users:write' })
    await page.goto(url.href)
    return { page, client, server, verifier }
  }

  test('logs in with a click, without scripts, across the redirects of provider and app', async () => {
    const { page, client, verifier } = await open()

    await Promise.all([page.waitForNavigation(), page.click('button[value=continue]')])

    const reached = new URL(page.url())
    expect(reached.pathname).toBe('/callback')
    const { status } = await client.exchange(String(reached.searchParams.get('code')), verifier)
    expect(status).toBe(200)
    expect(problems).toStrictEqual([])
  })

  test('is shown once with a remembered consent, and again if another site leads to the login', async () => {
    const { page, client } = await open({ consent: 'remember' })
    await Promise.all([page.waitForNavigation(), page.click('button[value=continue]')])

    const { url } = client.authorization({ scope: 'users:read' })
    await page.goto(url.href)
    expect(new URL(page.url()).searchParams.has('code')).toBe(true)

    await page.goto(`${client.redirectUri}?${new URLSearchParams({ link: url.href }).toString()}`)
    await Promise.all([page.waitForNavigation(), page.click('a')])
    expect(new URL(page.url()).pathname).toMatch(/^\/login\//)
  })

  test('returns to the app with Cancel, and works after a reload', async () => {
    const { page } = await open()
    await page.reload()

    await Promise.all([page.waitForNavigation(), page.click('button[value=cancel]')])

    expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied')
  })

  test('a user without access sees why, and returns to the app', async () => {
    const { page } = await open({ allow: () => false })
    await Promise.all([page.waitForNavigation(), page.click('button[value=continue]')])
    expect(await page.$eval('h1', (title) => title.textContent)).toBe('You have no access')
    await shoot(page, 'not-allowed')

    await Promise.all([page.waitForNavigation(), page.click('button')])

    expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied')
  })

  test.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 360],
    ['dark', 360],
  ] as const)('is readable and accessible in %s mode at %i pixels', async (scheme, width) => {
    const { page } = await open({ page: { support: 'help@acme.example' } })
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
    await page.setViewport({ width, height: width === 360 ? 740 : 800 })
    await page.setJavaScriptEnabled(true)
    await page.reload()
    await shoot(page, `consent-${scheme}-${width}`)

    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    expect(overflow).toBeLessThanOrEqual(0)
    // The policy of the page forbids scripts, so the checker runs outside of it.
    const html = await page.content()
    const copy = await page.browserContext().newPage()
    await copy.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
    await copy.setViewport({ width, height: 740 })
    await copy.setContent(html)
    await copy.evaluate(axe.source)
    const { violations } = (await copy.evaluate('axe.run()')) as AxeResults
    expect(violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toStrictEqual([])
  })

  test('shows an expired login, and cannot be framed', async () => {
    const { page, client } = await open()
    const loginUrl = page.url()
    const other = await (await browser.createBrowserContext()).newPage()
    await other.goto(loginUrl)
    expect(await other.$eval('h1', (title) => title.textContent)).toBe('The login cannot continue')
    await shoot(other, 'expired')

    await page.setJavaScriptEnabled(true)
    await page.goto(`http://127.0.0.1:${(app.address() as AddressInfo).port}/`)
    await page.setContent(`<iframe src="${client.authorization().url.href.replaceAll('&', '&amp;')}"></iframe>`)
    await new Promise((resolve) => setTimeout(resolve, 500))
    const frames = await Promise.all(page.frames().map((frame) => frame.content().catch(() => '')))
    expect(frames.join()).not.toContain('Continue with')
  })
})

async function shoot(page: Page, name: string): Promise<void> {
  if (screenshots !== undefined) await page.screenshot({ path: join(screenshots, `${name}.png`) })
}
