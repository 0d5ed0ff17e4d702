import type { Browser, HTTPRequest, Page } from 'puppeteer-core'
import { describeInBrowser, launchBrowser } from '../../../../test/support/browser.js'
import { InspectorPage } from '../support/inspector-page.js'
import { startWorkshop } from '../support/workshop.js'

describeInBrowser('a subscription while the first stream opens', () => {
  test('leaves one stream open', async () => {
    const [browser, workshop]: [Browser, Awaited<ReturnType<typeof startWorkshop>>] = await Promise.all([
      launchBrowser(),
      startWorkshop(),
    ])
    const [first] = await browser.pages()
    const page = new InspectorPage(first as Page)
    const open = new Set<HTTPRequest>()
    const isStream = (request: HTTPRequest): boolean => request.postData()?.includes('subscriptions/listen') === true
    const held: HTTPRequest[] = []
    let isHeld = false
    await page.page.setRequestInterception(true)
    page.page.on('request', (request) => {
      if (isStream(request)) open.add(request)
      if (isStream(request) && !isHeld) {
        isHeld = true
        held.push(request)
      } else void request.continue()
    })
    const ended = (request: HTTPRequest): boolean => open.delete(request)
    page.page.on('requestfinished', ended)
    page.page.on('requestfailed', ended)
    await page.open(workshop.url, '#/resources/workshop%3A%2F%2Fplan')
    await page.press('Subscribe')
    await page.waitForText('.run-bar', 'Unsubscribe')
    for (const request of held) void request.continue()
    await page.show('#/wire')
    await page.waitForText('.frame-what', 'notifications/subscriptions/acknowledged', 2)
    const until = Date.now() + 5000
    // oxlint-disable-next-line no-await-in-loop
    while (open.size !== 1 && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 20))
    const count = open.size
    await browser.close()
    await workshop.close()
    expect(count).toBe(1)
  }, 60_000)
})
