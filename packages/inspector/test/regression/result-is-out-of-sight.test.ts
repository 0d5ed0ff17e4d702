import { describeInBrowser } from '../../../../test/support/browser.js'
import { useLab } from '../support/with-lab.js'
import { startOffice } from '../support/workshop.js'

const fields = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`field${index}`, { type: 'number' }]))

describeInBrowser('the page of a tool', () => {
  const used = useLab({ echo: { type: 'object', properties: fields } })

  test('keeps the button in view, and scrolls to the result of a long form', async () => {
    const { lab, page } = used
    await page.open(lab.url, '#/tools/echo')
    const isVisible = (selector: string): Promise<boolean> =>
      page.page.$eval(selector, (element) => {
        const { top, bottom } = element.getBoundingClientRect()
        return top >= 0 && Math.min(bottom, top + 60) <= innerHeight
      })
    expect(await isVisible('.run-bar .primary')).toBe(true)
    await page.fill('field0', '1.5')
    await page.page.keyboard.down('Control')
    await page.page.keyboard.press('Enter')
    await page.page.keyboard.up('Control')
    await page.ended()
    expect([await isVisible('.result'), await isVisible('.run-bar .primary')]).toEqual([true, true])
  })

  test('folds the messages of a call, and merges progress into one row', async () => {
    const { lab, page } = used
    await page.open(lab.url, '#/tools/steps')
    await page.call()
    expect(await page.page.$eval('.run-frames', (details) => (details as HTMLDetailsElement).open)).toBe(false)
    const rows = await page.texts('.run-frames .frame-what')
    expect(rows).toEqual(['tools/call steps', 'notifications/progress', 'result'])
    expect(await page.text('.run-frames li .count')).toBe('×22')
  })

  test('copies and downloads a result', async () => {
    const { lab, page } = used
    await page.open(lab.url, '#/tools/fail')
    await page.call()
    const saved = page.page.evaluate(
      () =>
        new Promise<string>((resolve) => {
          URL.createObjectURL = (blob) => {
            void (blob as Blob).text().then(resolve)
            return 'blob:none'
          }
        }),
    )
    await page.page.evaluate(() => {
      navigator.clipboard.writeText = (text) => {
        document.title = text
        return Promise.resolve()
      }
    })
    await page.page.click('[aria-label="Copy the result"]')
    await page.page.click('[aria-label="Download the result"]')
    const text = await saved
    expect(JSON.parse(text)).toMatchObject({ isError: true, content: [{ text: 'The laboratory is closed.' }] })
    expect(await page.page.title()).toBe(text.replaceAll(/\s+/g, ' '))
  })

  test('has one button that cancels, and only while a call runs', async () => {
    const { lab, page } = used
    await page.open(lab.url, '#/tools/ask')
    expect(await page.texts('.detail button')).not.toContain('Cancel')
    await page.send()
    await page.waitForText('dialog', 'Which values?')
    expect(await page.text('.progress')).toContain('waiting for your answer to question 1')
    expect((await page.texts('.detail button')).filter((text) => text === 'Cancel')).toHaveLength(1)
    await page.press('Cancel', 'dialog')
    await page.ended()
  })

  test('fits a phone: two rows of settings, the button in view, and names beside the columns of a table', async () => {
    const { lab, page } = used
    await page.page.setViewport({ width: 390, height: 800 })
    await page.open(lab.url, '#/tools/echo')
    const boxOf = (selector: string) =>
      page.page.$eval(
        selector,
        (each) => each.getBoundingClientRect().toJSON() as { height: number; bottom: number; left: number },
      )
    expect((await boxOf('.top')).height).toBeLessThan(100)
    expect((await boxOf('.run-bar .primary')).bottom).toBeLessThanOrEqual(800)
    await page.show('#/access')
    await page.waitFor('.matrix')
    await page.page.$eval('.table-scroll', (each) => each.scrollTo(1000, 0))
    const { left } = await boxOf('.table-scroll')
    expect((await boxOf('.matrix tbody th')).left - left).toBeLessThan(5)
    await page.page.setViewport({ width: 1100, height: 800 })
  })

  test('leads to the field that cannot be sent', async () => {
    const { lab, page } = used
    await page.open(lab.url, '#/tools/echo')
    await page.fill('field7', '1,5')
    await page.page.focus('[data-field=field29] input')
    await page.press('A field cannot be sent as it is', '.run-bar')
    const focused = await page.page.evaluate(() =>
      document.activeElement?.closest('.field')?.getAttribute('data-field'),
    )
    expect(focused).toBe('field7')
  })

  test('names the header that the server requires, and opens its setting', async () => {
    const { page } = used
    const office = await startOffice({ isClosed: true })
    await page.page.goto(office.url)
    await page.waitFor('.banner')
    expect(await page.text('.banner')).toContain('requires the header x-api-key (401)')
    await page.press('Open Connection', '.banner')
    await page.waitForText('dialog', 'The server requires the header x-api-key.')
    expect(await page.page.evaluate(() => document.activeElement?.id)).toBe('setting-headers')
    await office.close()
  })
})
