import { describeInBrowser } from '../../../../test/support/browser.js'
import { useLab } from '../support/with-lab.js'

const object = (properties: object, required: readonly string[] = []) => ({ type: 'object', properties, required })
const number = { type: 'number' }

describeInBrowser('the form of a tool', () => {
  const used = useLab()

  const received = async (): Promise<unknown> => {
    await used.page.call()
    return JSON.parse(await used.page.text('.block pre'))
  }

  test('sends no argument that the schema no longer has after a reload', async () => {
    const { lab, page } = used
    lab.relist(object({ price: number, amount: number, note: number }))
    await page.open(lab.url, '#/tools/echo')
    await page.fill('price', '12')
    await page.fill('amount', '1.5')
    await page.fill('note', '7')
    lab.relist(object({ cost: number, amount: number, note: { type: 'string' } }))
    await page.waitFor('[data-field=cost]')
    expect(await page.page.$eval('[data-field=amount] input', ({ value }) => value)).toBe('1.5')
    expect(await received()).toEqual({ amount: 1.5 })
  })

  test('removes the item whose button was pressed', async () => {
    const { lab, page } = used
    lab.relist(object({ list: { type: 'array', items: { type: 'object' } } }))
    await page.open(lab.url, '#/tools/echo')
    for (const [index, text] of ['{"n":1}', '{"n":2}'].entries()) {
      // oxlint-disable no-await-in-loop
      await page.press('+ Add item')
      await page.type(`.item:nth-child(${index + 1}) textarea`, text)
      // oxlint-enable no-await-in-loop
    }
    await page.page.click('[aria-label="Remove item 1"]')
    expect(await page.page.$$eval('.item textarea', (all) => all.map(({ value }) => value))).toEqual(['{"n":2}'])
    expect(await received()).toEqual({ list: [{ n: 2 }] })
  })

  test('names what it sends from the JSON editor without a field', async () => {
    const { lab, page } = used
    lab.relist(object({ a: number }))
    await page.open(lab.url, '#/tools/echo')
    await page.press('JSON')
    await page.page.$eval('textarea.code', (element) => element.select())
    await page.type('textarea.code', '{ "a": 1.5, "extra": true }')
    await page.press('Form')
    expect(await page.text('.arguments')).toContain('Also sent, without a field: extra')
    expect(await received()).toEqual({ a: 1.5, extra: true })
  })

  test('does not send by keys what its button does not send', async () => {
    const { lab, page } = used
    lab.relist(object({ a: number }))
    await page.open(lab.url, '#/tools/echo')
    await page.fill('a', '1,5')
    await page.page.keyboard.down('Control')
    await page.page.keyboard.press('Enter')
    await page.page.keyboard.up('Control')
    await page.fill('a', '.')
    await page.page.$eval('[data-field=a] input', (element) => element.select())
    await page.fill('a', '1.5')
    expect(await received()).toEqual({ a: 1.5 })
    expect(await page.texts('.run-frames .frame-what')).toEqual(['tools/call echo', 'result'])
  })

  test.each([
    [
      '$ref',
      { type: 'object', $ref: '#/$defs/a%20b', $defs: { 'a b': object({ name: { type: 'string' } }, ['name']) } },
    ],
    ['allOf', { type: 'object', allOf: [object({ name: { type: 'string' } }), { required: ['name'] }] }],
    ['anyOf', { type: 'object', anyOf: [object({ other: number }), object({ name: { type: 'string' } }, ['name'])] }],
  ])('has fields for a schema that begins with %s', async (keyword, schema) => {
    const { lab, page } = used
    lab.relist(schema)
    await page.open(lab.url, '#/tools/echo')
    if (keyword === 'anyOf') await page.page.select('.variant select', '1')
    await page.fill('name', '007')
    expect(await page.text('[data-field=name] label')).toContain('required')
    expect(await received()).toEqual({ name: '007' })
  })
})
