import axe, { type AxeResults } from 'axe-core'
import type { Browser, Page } from 'puppeteer-core'
import { describeInBrowser, launchBrowser } from '../../../test/support/browser.js'
import { type AppOptions, closeApps, listen, openApp, type TestTool } from '../../../test/support/client/index.js'

const evil = `<script>window.hacked = 1</script><img src=x onerror="window.hacked = 1"> " ' onclick=alert(1) javascript:alert(1)`

function tool(name: string, text: string): TestTool {
  return { name, title: text, description: text, handler: () => 'done' }
}

describeInBrowser('the landing page in a browser', () => {
  let browser: Browser
  const problems: string[] = []

  beforeAll(async () => {
    browser = await launchBrowser()
  })

  afterEach(async () => {
    problems.length = 0
    await closeApps()
  })

  afterAll(() => browser.close())

  /** Opens the page of a server. Messages of the browser's console are collected. */
  async function openPage(options: AppOptions, prepare?: (page: Page) => Promise<void>): Promise<Page> {
    const port = await listen(await openApp(options))
    const page = await browser.newPage()
    page.on('console', (message) => problems.push(message.text()))
    page.on('pageerror', (error) => problems.push(String(error)))
    page.on('dialog', (dialog) => problems.push(dialog.message()))
    page.on('request', (request) => {
      if (request.url() !== `http://127.0.0.1:${port}/mcp` && !request.url().startsWith('data:')) {
        problems.push(request.url())
      }
    })
    await prepare?.(page)
    await page.goto(`http://127.0.0.1:${port}/mcp`)
    return page
  }

  test('copies a snippet, and opens one client at a time', async () => {
    const page = await openPage({ title: 'Words', tools: [tool('count', 'Counts words')] })
    expect(await page.title()).toBe('Words · MCP server')
    await page.evaluate(`
      const copied = window.copied = []
      Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) => copied.push(text) } })
    `)
    await page.locator('summary ::-p-text(Codex)').click()
    expect(await page.$$eval('details[open] summary', (open) => open.map(({ textContent }) => textContent))).toEqual([
      'Codex',
    ])
    await page.locator('details[open] button').click()
    await page.waitForFunction(`document.querySelector('[role=status]').textContent === 'Copied'`)
    expect(await page.evaluate('copied')).toEqual([`codex mcp add wire --url ${page.url()}`])
    expect(problems).toEqual([])
    await page.close()
  })

  test('shows everything but the copy buttons without JavaScript', async () => {
    const page = await openPage({ tools: [tool('count', 'Counts words')] }, (opened) =>
      opened.setJavaScriptEnabled(false),
    )
    // The buttons are hidden, so that the third element in the order of focus is the third client.
    for (const key of ['Tab', 'Tab', 'Tab', 'Enter'] as const) {
      // oxlint-disable-next-line no-await-in-loop
      await page.keyboard.press(key)
    }
    const shown = await page.$eval('body', (body) => body.innerText)
    expect(shown).toContain('Counts words')
    expect(shown).toContain('Add to Cursor')
    expect(shown).not.toContain('Copy')
    await page.close()
  })

  test('runs no code of hostile content, and sends no requests', async () => {
    const page = await openPage({
      name: evil,
      title: evil,
      version: evil,
      description: evil,
      tools: [tool('evil', evil), tool('long', 'x'.repeat(100_000))],
    })
    expect(await page.$eval('h1 bdi', ({ textContent }) => textContent)).toBe(evil)
    expect(await page.evaluate('window.hacked')).toBeUndefined()
    expect(await page.$$('img, h1 script')).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false)
    expect(problems).toEqual([])
    // The content security policy blocks even injected content.
    await page.evaluate(`
      const script = document.createElement('script')
      script.textContent = 'window.hacked = 1'
      document.body.append(script)
    `)
    expect(await page.evaluate('window.hacked')).toBeUndefined()
    expect(problems.join()).toContain('Content Security Policy')
    await page.close()
  })

  test.each(['light', 'dark'])('is accessible in %s, and as narrow as a phone', async (scheme) => {
    const page = await openPage(
      {
        description: 'Counts words',
        tools: [tool('count', 'Counts words')],
        authentication: { authenticate: () => null },
        allowAnonymous: true,
        authorization: { default: 'anonymous' },
      },
      async (opened) => {
        await opened.setViewport({ width: 360, height: 700 })
        await opened.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
        // For axe only, which is not part of the page.
        await opened.setBypassCSP(true)
      },
    )
    await page.$$eval('details', (all) => {
      for (const details of all) Object.assign(details, { name: '', open: true })
    })
    await page.evaluate(axe.source)
    const { violations, passes } = (await page.evaluate('axe.run()')) as AxeResults
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join()}`)).toEqual([])
    expect(passes.map(({ id }) => id)).toContain('color-contrast')
    await page.close()
  })
})
