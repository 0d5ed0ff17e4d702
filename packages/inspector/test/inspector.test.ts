import { deepStrictEqual as assertEqual } from 'node:assert'
import { readFileSync } from 'node:fs'
import type { Browser, Frame, Page } from 'puppeteer-core'
import { describeInBrowser, launchBrowser } from '../../../test/support/browser.js'
import { script, startHostile } from './support/hostile-server.js'
import { InspectorPage } from './support/inspector-page.js'
import {
  bossKey,
  ReopenedTools,
  type Started,
  start,
  startOffice,
  startWorkshop,
  WorkshopResources,
  WorkshopTools,
} from './support/workshop.js'

describeInBrowser('the inspector in a browser', () => {
  let browser: Browser
  let workshop: Started
  let office: Started
  let page: InspectorPage

  beforeAll(async () => {
    ;[browser, workshop, office] = await Promise.all([launchBrowser(), startWorkshop(), startOffice()])
    const [first] = await browser.pages()
    page = new InspectorPage(first as Page)
    await page.page.setViewport({ width: 1100, height: 800 })
  })

  afterAll(async () => {
    await browser.close()
    await Promise.all([workshop.close(), office.close()])
  })

  const open = (fragment = '', url = workshop.url): Promise<void> => page.open(url, fragment)

  afterEach(() => {
    if (page.errors.length > 0) throw new Error(page.errors.splice(0).join('\n'))
  })

  test('lists the features of the server, and estimates the tokens of the tools', async () => {
    await open()
    expect(await page.texts('.row-name')).toEqual(expect.arrayContaining(['add', 'order', 'fail', 'saw']))
    expect(await page.text('.tokens')).toMatch(/about \d[\d,]* tokens \(estimate\)/)
    expect(await page.text('.brand')).toBe('Workshop2.0.0')
    await page.show('#/prompts')
    await page.waitForText('.row-name', 'plan')
    await page.show('#/resources')
    await page.waitForText('.row-name', 'workshop://plan')
    expect(await page.texts('.row-name')).toContain('workshop://boards/{wood}')
  })

  test('calls a tool with the values of its form, and shows the structured result beside its schema', async () => {
    await open('#/tools/add')
    await page.fill('a', '2')
    await page.fill('b', '40')
    await page.call()
    expect(await page.statuses()).toEqual(['done'])
    expect(await page.text('.structured [aria-label="Structured result"]')).toBe('{\n  "sum": 42\n}')
    expect(await page.text('.structured [aria-label="Output schema"]')).toContain('"sum"')
    expect(await page.texts('.run-frames .frame-what')).toEqual(['tools/call add', 'result'])
    expect(await page.text('.plan')).toContain('WorkshopTools.add')
  })

  test('shows fields for choices, booleans, objects, lists and defaults', async () => {
    await open('#/tools/order')
    await page.fill('wood', '1')
    await page.fill('polished', 'true')
    await page.fill('width', '30')
    await page.press('+ Add item')
    await page.fill('labels', 'left')
    await page.call()
    const order = { wood: 'pine', count: 1, polished: true, size: { width: 30 }, labels: ['left'] }
    expect(JSON.parse(await page.text('.block pre'))).toEqual(order)
  })

  test('sends raw JSON, and rejects JSON that is not an object', async () => {
    await open('#/tools/add')
    await page.press('JSON')
    const editor = 'textarea[aria-label="Arguments as JSON"]'
    await page.page.$eval(editor, (element) => element.select())
    await page.type(editor, '{ "a": 1, "b": ')
    await page.waitFor('.detail button.primary:disabled')
    await page.type(editor, '2 }')
    await page.call()
    expect(await page.text('.structured pre')).toContain('"sum": 3')
  })

  test('shows errors of a tool, and of invalid arguments', async () => {
    await open('#/tools/fail')
    await page.call()
    expect(await page.statuses()).toEqual(['error'])
    expect(await page.text('.block pre')).toBe('The saw is broken.')
    await page.show('#/tools/add')
    await page.waitForText('.detail h2', 'add')
    await page.call()
    expect(await page.text('.block pre')).toContain("missing required arguments 'a', 'b'")
  })

  test('shows progress and log messages, and cancels', async () => {
    await open('#/tools/saw')
    await page.send()
    await page.waitForText('.progress', '1 of 4 one cut of four')
    await page.waitForText('.logs', 'the saw turns')
    await page.press('Cancel', '.run-bar')
    await page.ended()
    expect(await page.statuses()).toEqual(['cancelled'])
    expect(WorkshopTools.finished).toBe(0)
    await page.show('#/tools/sand')
    await page.waitForText('.detail h2', 'sand')
    await page.call()
    expect(await page.text('.progress')).toContain('3 of 3')
  })

  test('renders every kind of content', async () => {
    await open('#/tools/everything')
    await page.call()
    const types = await page.page.$$eval('.block', (blocks) => blocks.map((block) => block.getAttribute('data-type')))
    expect(types).toEqual(['text', 'image', 'audio', 'resource_link', 'resource'])
    const width = await page.page.$eval('.block img', (image) => image.naturalWidth)
    expect(width).toBe(1)
    await page.press('The plan')
    await page.waitForText('.detail h2', 'workshop://plan')
    await page.call()
    expect(await page.text('.contents pre')).toBe('Build a table.')
  })

  describe.each(['modern', 'legacy'] as const)('in the %s era', (era) => {
    test('answers an elicitation by hand: accepted, and declined', async () => {
      await open('#/tools/welcome')
      await page.chooseEra(era)
      await page.send()
      await page.waitForText('dialog', 'Who is there?')
      await page.fill('name', 'Ada', 'dialog')
      await page.press('Accept', 'dialog')
      await page.ended()
      expect(await page.text('.block pre')).toBe('Welcome, Ada.')
      await page.send()
      await page.waitForText('dialog', 'Who is there?')
      await page.press('Decline', 'dialog')
      await page.waitForText('.block pre', 'No welcome: decline.')
    })

    test('answers URL elicitation and sampling by hand', async () => {
      await open('#/tools/pay')
      await page.chooseEra(era)
      await page.send()
      await page.waitForText('dialog', 'https://bank.example.com/pay')
      await page.press('Accept', 'dialog')
      await page.ended()
      expect(await page.text('.block pre')).toBe('Paid: accept.')
      await page.show('#/tools/advise')
      await page.waitForText('.detail h2', 'advise')
      await page.send()
      await page.waitForText('dialog', 'Which wood?')
      await page.type('#sampling-text', 'Take oak')
      await page.press('Send', 'dialog')
      await page.ended()
      expect(await page.text('.block pre')).toBe('Advice: Take oak')
    })

    test('reports updates of a subscribed resource, and changed lists', async () => {
      await open('#/resources/workshop%3A%2F%2Fplan')
      await page.chooseEra(era)
      await page.press('Subscribe')
      await page.waitForText('.run-bar', 'Unsubscribe')
      await page.show('#/wire')
      // The page has a subscription to lists from the start. The subscription to the resource is the second one.
      if (era === 'modern') await page.waitForText('.frame-what', 'notifications/subscriptions/acknowledged', 2)
      else await page.waitForText('.frame-what', 'resources/subscribe')
      await page.show('#/tools/change')
      await page.waitForText('.detail h2', 'change')
      await page.call()
      await page.show('#/notifications')
      await page.waitForText('.notifications li', 'notifications/resources/updated')
      await page.waitForText('.notifications li', 'notifications/tools/list_changed')
      expect(await page.text('.notifications')).toContain('workshop://plan')
    })
  })

  test('sends the same call in both eras, and shows results and frames side by side', async () => {
    await open('#/tools/add')
    await page.chooseEra('both')
    await page.fill('a', '1')
    await page.fill('b', '2')
    await page.call()
    expect(await page.statuses()).toEqual(['done', 'done'])
    const boxes = await page.page.$$eval('.result', (results) =>
      results.map((each) => each.getBoundingClientRect().toJSON()),
    )
    expect(boxes[0].top).toBe(boxes[1].top)
    expect(boxes[0].right).toBeLessThan(boxes[1].left)
    const modern = await page.texts('[data-era=modern] .frame-what')
    const legacy = await page.texts('[data-era=legacy] .frame-what')
    expect(modern).toEqual(['tools/call add', 'result'])
    expect(legacy.slice(-2)).toEqual(['tools/call add', 'result'])
    expect(await page.text('.connection')).toContain('2025-11-25')
  })

  test('follows a task to its end, and answers its request', async () => {
    await open('#/tools/paint')
    await page.fill('name', 'door')
    await page.send()
    await page.waitForText('dialog', 'Paint door?')
    await page.fill('name', 'Ada', 'dialog')
    await page.press('Decline', 'dialog')
    await page.ended()
    expect(await page.text('.block pre')).toBe('Painted door: decline.')
    expect(await page.text('.task-line')).toContain('completed')
    await page.show('#/tasks')
    await page.waitFor('.card[data-task=completed]')
    expect(await page.texts('.history li')).toHaveLength(3)
  })

  test('gets a prompt with a completed argument, and reads a template', async () => {
    await open('#/prompts/plan')
    await page.fill('piece', 'ta')
    await page.page.waitForSelector('datalist option[value=table]')
    await page.fill('piece', 'ble')
    await page.call()
    expect(await page.text('.message.user pre')).toBe('Plan a table, please.')
    await page.show(`#/resources/${encodeURIComponent('workshop://boards/{wood}')}`)
    await page.fill('wood', 'oak')
    await page.call()
    expect(await page.text('.contents pre')).toBe('Boards of oak')
  })

  test('shows an App that cannot access the page', async () => {
    await open('#/tools/draw')
    await page.fill('a', '20')
    await page.fill('b', '22')
    await page.call()
    const frame = await page.page.waitForSelector('iframe.app-frame')
    const content = (await frame?.contentFrame()) as Frame
    await content.waitForFunction(() => (document.getElementById('shown')?.textContent ?? 'waiting') !== 'waiting')
    expect(await content.$eval('#shown', (shown) => shown.textContent)).toBe(
      'The sum is 42, reached nothing of the page',
    )
    expect(await content.evaluate(() => origin)).toBe('null')
    // The App can reach neither this server nor any other.
    const reached = await content.evaluate(
      (url) =>
        fetch(url).then(
          () => 'reached',
          () => 'refused',
        ),
      workshop.url,
    )
    expect(reached).toBe('refused')
    page.errors.splice(0)
  })

  test('shows who may use a tool, and which tools are hidden from the caller', async () => {
    await open('#/access', office.url)
    await page.waitFor('.matrix [data-feature=dismiss]')
    expect(await page.texts('.matrix thead th')).toEqual(['Feature', 'anonymous', 'authenticated', 'boss'])
    expect(await page.texts('[data-feature=dismiss] td')).toEqual(['– hidden', '– hidden', '✓ callable'])
    expect(await page.texts('[data-feature=hours] td')).toEqual(['✓ callable', '✓ callable', '✓ callable'])
    await page.show('#/tools')
    await page.waitForText('.hidden-features', 'Hidden from this caller: 1')
    expect(await page.text('.hidden-features li')).toContain('dismissFor boss')
    await page.press('Connection')
    await page.type('#setting-headers', `x-api-key: ${bossKey}`)
    await page.press('Connect', 'dialog')
    await page.waitForText('.row-name', 'dismiss')
    await page.show('#/wire')
    await page.waitFor('.frame')
    expect(await page.text('.frames')).not.toContain(bossKey)
  })

  test.each(['light', 'dark'] as const)('has no serious faults of accessibility, %s', async (theme) => {
    await open('#/tools/add')
    await page.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }])
    await page.chooseEra('both')
    await page.fill('a', '1')
    await page.fill('b', '2')
    await page.call()
    await page.page.evaluate(readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8'))
    expect(await findFaults(theme)).toEqual([])
    const views = ['tasks', 'notifications', 'wire', 'access', 'server']
    for (const view of theme === 'light' ? views : ['wire', 'access']) {
      // oxlint-disable no-await-in-loop
      await page.show(`#/${view}`)
      await page.waitFor(`[data-view=${view}][aria-current=page]`)
      expect({ view, faults: await findFaults(theme) }).toEqual({ view, faults: [] })
      // oxlint-enable no-await-in-loop
    }
    await page.show('#/tools/welcome')
    await page.waitForText('.detail h2', 'welcome')
    await page.send()
    await page.waitFor('dialog[open]')
    expect(await findFaults(theme)).toEqual([])
    await page.press('Cancel', 'dialog')
    await page.waitForText('dialog', 'Who is there?')
    await page.press('Cancel', 'dialog')
    await page.ended()
  })

  /** Names the serious and critical findings of axe, with their elements. Themes differ by their colours only. */
  function findFaults(theme: 'light' | 'dark'): Promise<string[]> {
    return page.page.evaluate(
      async (rules) => {
        const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<{ violations: Violation[] }> } }
        interface Violation {
          readonly id: string
          readonly impact: string
          readonly nodes: readonly { readonly html: string }[]
        }
        const { violations } = await axe.run(rules)
        return violations
          .filter(({ impact }) => impact === 'serious' || impact === 'critical')
          .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`))
      },
      theme === 'light' ? {} : { runOnly: ['color-contrast'] },
    )
  }

  describe('for a hostile server', () => {
    let hostile: Started

    beforeAll(async () => {
      hostile = await startHostile()
    })

    afterAll(() => hostile.close())

    afterEach(async () => {
      const state = await page.page.evaluate(() => ({
        isBroken: 'broken' in globalThis || localStorage.getItem('broken') !== null,
        links: [...document.querySelectorAll('a')].map(({ href }) => href).filter((href) => !/^https?:/.test(href)),
        scripts: document.scripts.length,
      }))
      const pages = await page.page.browser().pages()
      assertEqual({ ...state, pages: pages.length }, { isBroken: false, links: [], scripts: 1, pages: 1 })
    })

    test('runs no script of a name, a description, a schema or a result', async () => {
      await open('#/tools/attack', hostile.url)
      await page.call()
      expect(await page.texts('.block pre')).toContain(script)
      expect(await page.text('.detail-title')).toBe(script)
      expect(await page.page.$$('.block img')).toHaveLength(1)
      await page.show('#/access')
      await page.waitFor('.matrix')
      await page.show('#/server')
      await page.waitForText('.facts', script)
    })

    test('stays responsive with huge texts and unusual members', async () => {
      await open('#/tools/flood', hostile.url)
      await page.call()
      await page.waitForText('.text-view', 'Show more')
      const length = await page.page.$eval('.block pre', (pre) => pre.textContent?.length)
      expect(length).toBe(20_000)
      const since = Date.now()
      await page.show('#/tools/nest')
      await page.waitForText('.detail h2', 'nest')
      expect(Date.now() - since).toBeLessThan(5000)
      await page.call()
      expect(await page.statuses()).toEqual(['done'])
    })

    test('opens no page by itself, and names the host of a link', async () => {
      await open('#/tools/lure', hostile.url)
      await page.send()
      await page.waitForText('dialog', 'Open example.com in a new tab')
      await page.press('Decline', 'dialog')
      await page.ended()
      expect(await page.text('.block pre')).toBe('decline')
    })

    test('runs an App that loads before the next picture of the page is drawn', async () => {
      const { identifier } = await page.page.evaluateOnNewDocument(() => {
        globalThis.requestAnimationFrame = () => 0
      })
      await open('#/tools/invade', hostile.url)
      await page.page.removeScriptToEvaluateOnNewDocument(identifier)
      await page.call()
      await page.waitForText('.app .logs', 'not opened')
      expect(await page.statuses()).toEqual(['done'])
      page.errors.splice(0)
    })

    test('contains an App that attacks its host', async () => {
      await open('#/tools/invade', hostile.url)
      await page.call()
      // The App has run: it replaced the document of its frame, which the browser driver must not miss.
      await page.waitForText('.app .logs', 'not opened')
      const frame = await page.page.waitForSelector('iframe.app-frame')
      const content = (await frame?.contentFrame()) as Frame
      await content.waitForSelector('#done')
      const height = await page.page.$eval('iframe.app-frame', (element) => element.clientHeight)
      expect(height).toBeLessThanOrEqual(900)
      expect(await page.page.evaluate(() => location.pathname)).toBe('/inspector')
      page.errors.splice(0)
    })
  })

  test('follows a server that restarts, in both eras', async () => {
    const first = await start({ controllers: [WorkshopTools, WorkshopResources] })
    await open('#/tools', first.url)
    await page.chooseEra('both')
    // The stream of changes is open, so the page sees its end.
    await page.show('#/wire')
    await page.waitForText('.frame-what', 'notifications/subscriptions/acknowledged')
    await first.close()
    const second = await start({ controllers: [ReopenedTools] }, Number(new URL(first.url).port))
    await page.show('#/tools/reopened')
    await page.waitForText('.detail h2', 'reopened')
    await page.call()
    expect(await page.texts('.block pre')).toEqual(['Open again', 'Open again'])
    await second.close()
  })

  test('works with the keyboard alone', async () => {
    await open('#/tools')
    const { keyboard } = page.page
    await page.page.focus('.list .row')
    await keyboard.press('ArrowDown')
    expect(await page.page.evaluate(() => document.activeElement?.textContent)).toContain(
      (await page.texts('.row-name'))[1],
    )
    await page.page.focus('.list .row')
    await keyboard.press('Enter')
    await page.waitFor('.detail h2')
    await page.show('#/tools/add')
    await page.fill('a', '1')
    await page.fill('b', '1')
    await keyboard.down('Control')
    await keyboard.press('Enter')
    await keyboard.up('Control')
    await page.ended()
    expect(await page.text('.structured pre')).toContain('"sum": 2')
  })

  test('fits a narrow window', async () => {
    await open('#/tools/add')
    const before = page.page.viewport()
    await page.page.setViewport({ width: 380, height: 700 })
    const { scrollWidth, isListShown } = await page.page.evaluate(() => ({
      scrollWidth: document.documentElement.scrollWidth,
      isListShown: document.querySelector<HTMLElement>('.list-pane')?.offsetParent !== null,
    }))
    expect({ scrollWidth, isListShown }).toEqual({ scrollWidth: 380, isListShown: false })
    await page.press('← Back')
    await page.waitFor('.list-pane .row')
    await page.page.setViewport(before)
  })
})
