import { describeInBrowser } from '../../../../test/support/browser.js'
import { bigNumber } from '../support/schema-lab.js'
import { useLab } from '../support/with-lab.js'

const noSchema = { type: 'object' }

describeInBrowser('a result with a number that JavaScript cannot hold', () => {
  const used = useLab({ big: noSchema })

  test.each(['modern', 'legacy'] as const)('is shown as the server has sent it, in the %s era', async (era) => {
    const { lab, page } = used
    await page.open(lab.url, '#/tools/spell')
    await page.chooseEra(era)
    await page.call()
    expect(await page.text('.block pre')).toBe(`{\n  "id": ${bigNumber},\n  "small": 1.5\n}`)
    await page.show('#/tools/big')
    await page.waitForText('.detail h2', 'big')
    await page.call()
    expect(await page.text('.result-body')).toContain(`"id": ${bigNumber}`)
    await page.page.evaluate(() => {
      document.querySelector('details.run-frames')?.setAttribute('open', '')
    })
    await page.page.click('.run-frames .frame.in .frame-head')
    expect(await page.text('.run-frames .frame-body')).toContain(`"id": ${bigNumber}`)
  })
})
