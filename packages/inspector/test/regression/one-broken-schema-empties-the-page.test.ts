import { describeInBrowser } from '../../../../test/support/browser.js'
import { useLab } from '../support/with-lab.js'

describeInBrowser('a tool with a broken schema', () => {
  const used = useLab({ broken: { type: 'object', properties: null, required: 'c' } })

  test('is marked, can be called, and leaves the other tools in the list', async () => {
    const { lab, page } = used
    await page.open(lab.url, '#/tools/broken')
    expect(await page.texts('.row-name')).toEqual(expect.arrayContaining(['echo', 'ask', 'broken']))
    expect(await page.texts('.row[aria-current] .tag')).toEqual(['invalid'])
    expect(await page.text('.notice')).toContain('inputSchema.properties')
    await page.call()
    expect(await page.statuses()).toEqual(['done'])
    await page.chooseEra('both')
    expect(await page.texts('.row-name')).toContain('echo')
  })

  const loop = { $ref: '#/$defs/Loop' }
  const twice = { allOf: [loop, loop] }

  test.each([
    ['a reference that is not encoded', { a: { $ref: '#/$defs/%E0%A4%A' } }],
    ['a reference to nothing', { a: { $ref: '#/$defs/Nothing' } }],
    ['references in a circle', { a: loop, b: twice }],
    ['members that are no schemas', { a: 5, b: null, c: [true], d: { type: 7, enum: 'x', anyOf: [null] } }],
  ])('has a form: %s', async (_case, properties) => {
    const { lab, page } = used
    lab.relist({ type: 'object', properties: { ok: { type: 'number' }, ...properties }, $defs: { Loop: twice } })
    await page.open(lab.url, '#/tools/echo')
    await page.fill('ok', '1.05')
    await page.call()
    expect(JSON.parse(await page.text('.block pre'))).toEqual({ ok: 1.05 })
    expect(page.errors).toEqual([])
  })
})
