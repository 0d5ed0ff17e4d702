// Values as a person types them, key by key: the server receives them unchanged, or they are not sent.
import type { Browser, Page } from 'puppeteer-core'
import { describeInBrowser, launchBrowser } from '../../../test/support/browser.js'
import { InspectorPage } from './support/inspector-page.js'
import { type Lab, startLab } from './support/schema-lab.js'

interface Row {
  readonly schema: object
  /** Index of a variant, to choose first. */
  readonly variant?: number
  /** Selector of a field inside, and the keys to type there. */
  readonly keys: readonly (readonly [within: string, text: string])[]
  readonly sent: unknown
}

const first = ''
const typed = (schema: object, text: string, sent: unknown): Row => ({ schema, keys: [[first, text]], sent })
const ofVariant = (schema: object, variant: number, text: string, sent: unknown, field = ''): Row => ({
  schema,
  variant,
  keys: text === '' ? [] : [[`.variant-value ${field}`, text]],
  sent,
})

const number = { type: 'number' }
const integer = { type: 'integer' }
const string = { type: 'string' }
const named = { title: 'By name', properties: { name: string } }
const byIdOrName = { oneOf: [{ title: 'By id', properties: { id: integer } }, named] }
const message = (kind: object) => ({ type: 'object', properties: { kind, to: string }, required: ['kind', 'to'] })
const byKind = { oneOf: [message({ enum: ['mail'] }), message({ enum: ['sms'] })] }
const optionalKind = {
  oneOf: ['mail', 'sms'].map((kind) => ({ type: 'object', properties: { kind: { const: kind }, to: string } })),
}
const dayOrText = {
  anyOf: [
    { ...string, format: 'date', title: 'Date' },
    { ...string, title: 'Free text' },
  ],
}

const rows: readonly Row[] = [
  ...[
    '12.34',
    '3.14',
    '1.5',
    '0.5',
    '1.05',
    '-0.5',
    '0.001',
    '100.10',
    '2.50',
    '-12.75',
    '19.95',
    '0.1',
    '-0.000001',
  ].map((text) => typed(number, text, Number(text))),
  ...[
    '1e3',
    '1.5E-7',
    '-2e-3',
    '6.02e23',
    '1e21',
    '007',
    '0012.50',
    '.5',
    '5.',
    '9007199254740991',
    '123456.789012',
  ].map((text) => typed(number, text, Number(text))),
  ...['15', '-3', '0042', '1e3', '9007199254740992', '-9007199254740991'].map((text) =>
    typed(integer, text, Number(text)),
  ),
  ...['01234', '9007199254740993', '1e5', '+49301234567', 'true', ' 12 ', '0.10', '{"a":1}', 'ä ✓', 'one\ntwo'].map(
    (text) => typed(string, text, text),
  ),
  ...[
    ['date', '2024-01-02'],
    ['date', '02/01'],
    ['time', '12:30'],
    ['time', '12:30:00Z'],
    ['date-time', '2024-01-02T03:04:05Z'],
    ['email', 'a@bücher.de'],
    ['uri', 'http://x.de/ä b'],
  ].map(([format, text]) => typed({ ...string, format }, text ?? '', text)),
  ...['12abc', '2024-01-02', '007'].map((text) => ofVariant({}, 0, text, text)),
  ofVariant({}, 1, '{"n":[1,2.50]}', { n: [1, 2.5] }),
  typed({ allOf: [{ $ref: '#/$defs/Zip' }] }, '01234', '01234'),
  ofVariant(byIdOrName, 1, 'Ada', { name: 'Ada' }),
  ofVariant(byKind, 1, '0049', { kind: 'sms', to: '0049' }, '[data-field=to]'),
  ofVariant(optionalKind, 1, 'Bob', { kind: 'sms', to: 'Bob' }, '[data-field=to]'),
  ofVariant(dayOrText, 1, 'tomorrow', 'tomorrow'),
  ofVariant({ type: ['string', 'integer'] }, 0, '00123', '00123'),
  ofVariant({ type: ['string', 'integer'] }, 1, '00123', 123),
  ofVariant({ anyOf: [number, { type: 'null' }] }, 1, '', null),
  { schema: { anyOf: [number, { type: 'null' }] }, keys: [['.variant-value', '1.05']], sent: 1.05 },
  {
    schema: { type: 'array', items: number },
    keys: [
      ['.item:nth-child(1)', '1.05'],
      ['.item:nth-child(2)', '-0.5'],
    ],
    sent: [1.05, -0.5],
  },
  {
    schema: { type: 'array', items: { type: 'array', items: string } },
    keys: [['.item:nth-child(1) .item', '01']],
    sent: [['01']],
  },
  {
    schema: { type: 'array', items: byIdOrName },
    keys: [
      ['.item select', '1'],
      ['.item .variant-value', '1.50'],
    ],
    sent: [{ name: '1.50' }],
  },
  { schema: { enum: [1, '1', null] }, keys: [[first, '1']], sent: '1' },
  { schema: { type: 'object', additionalProperties: true }, keys: [[first, '{"a": 0.10}']], sent: { a: 0.1 } },
]

const nameOf = (index: number): string => `f${index}`

const schema = {
  type: 'object',
  properties: Object.fromEntries(rows.map((row, index) => [nameOf(index), row.schema])),
  $defs: { Zip: string },
}

describeInBrowser('values that are typed key by key', () => {
  let browser: Browser
  let lab: Lab
  let page: InspectorPage

  beforeAll(async () => {
    ;[browser, lab] = await Promise.all([launchBrowser(), startLab({ echo: schema })])
    const [opened] = await browser.pages()
    page = new InspectorPage(opened as Page)
  })

  afterAll(async () => {
    await browser.close()
    await lab.close()
  })

  test('arrive as typed in tools', async () => {
    expect(rows.length).toBeGreaterThan(60)
    await page.open(lab.url, '#/tools/echo')
    for (const [index, { variant, keys }] of rows.entries()) {
      // oxlint-disable no-await-in-loop
      const field = `[data-field="${nameOf(index)}"]`
      if (variant !== undefined) await page.fill(nameOf(index), String(variant))
      for (const [within, text] of keys) {
        const item = /\.item(?!.*\.item)/.exec(within)
        if (item !== null && !within.endsWith('select') && !within.endsWith('.variant-value')) {
          await addItems(field, within)
        } else if (within === '.item select') await page.press('+ Add item', field)
        await fillIn(`${field} ${within} :is(input, select, textarea)`, text)
      }
      // oxlint-enable no-await-in-loop
    }
    await page.call()
    const received = JSON.parse(await page.text('.block pre')) as Record<string, unknown>
    const expected = Object.fromEntries(rows.map(({ sent }, index) => [nameOf(index), sent]))
    expect(received).toEqual(expected)
  }, 120_000)

  /** Adds an item at each level of the selector, unless it is there. */
  async function addItems(field: string, within: string): Promise<void> {
    const levels = within.split(' ')
    for (const [depth] of levels.entries()) {
      // oxlint-disable no-await-in-loop
      const selector = `${field} ${levels.slice(0, depth + 1).join(' ')}`
      if ((await page.page.$(selector)) !== null) continue
      const parent = `${field} ${levels.slice(0, depth).join(' ')}`
      const added = await page.page.$$(`${parent} .items > button`)
      await added[0]?.click()
      await page.waitFor(selector)
      // oxlint-enable no-await-in-loop
    }
  }

  async function fillIn(selector: string, text: string): Promise<void> {
    const control = await page.page.waitForSelector(selector.replace(' select :is(input, select, textarea)', ' select'))
    const isSelect = await control?.evaluate((element) => element.tagName === 'SELECT')
    if (isSelect === true) await control?.select(text)
    else await control?.type(text)
  }

  test('arrive as typed in questions', async () => {
    await page.open(lab.url, '#/tools/ask')
    await page.send()
    await page.waitForText('dialog', 'Which values?')
    const values = {
      amount: '19.95',
      factor: '-1.05e-3',
      count: '0042',
      code: '007',
      day: '2024-01-02',
      mail: 'a@b.de',
    }
    for (const [field, text] of Object.entries(values)) {
      // oxlint-disable-next-line no-await-in-loop
      await page.fill(field, text, 'dialog')
    }
    await page.page.click('dialog [data-field=confirmed] [role=switch]')
    await page.press('Accept', 'dialog')
    await page.ended()
    expect(JSON.parse(await page.text('.block pre'))).toEqual({
      ...values,
      amount: 19.95,
      factor: -0.00105,
      count: 42,
      confirmed: true,
      express: true,
    })
  })

  test('arrive as typed in prompts, with line ends', async () => {
    await page.open(lab.url, '#/prompts/repeat')
    const values = { amount: '12.340', code: '9007199254740993', letter: 'Dear Ada,\n\nyours' }
    for (const [field, text] of Object.entries(values)) {
      // oxlint-disable-next-line no-await-in-loop
      await page.fill(field, text)
    }
    await page.call()
    expect(JSON.parse(await page.text('.message pre'))).toEqual(values)
  })

  test.each([
    [number, '9007199254740993', 'it would become 9007199254740992'],
    [number, '12345678901234567890', 'it would become 12345678901234567000'],
    [number, '1.0000000000000000001', 'it would become 1'],
    [number, '1e400', 'too large'],
    [number, '0x10', 'Not a number'],
    [number, '1,5', 'Not a number'],
    [number, '-', 'Not a number'],
    [integer, '1.5', 'Not a whole number'],
    [{ type: 'object' }, '{"a":', 'JSON'],
    [{ type: 'object' }, '[1]', 'This is not an object'],
    [{ type: 'object' }, '{"id": 9007199254740993}', 'it would become 9007199254740992'],
  ])('are not sent if they are not what %j needs: %s', async (field, text, reason) => {
    lab.relist({ type: 'object', properties: { value: field } })
    await page.open(lab.url, '#/tools/echo')
    await page.fill('value', text)
    await page.waitFor('.detail button.primary:disabled')
    expect(await page.text('[data-field=value] .field-error')).toContain(reason)
    expect(await page.page.$eval('[data-field=value] :is(input, textarea)', (each) => each.value)).toBe(text)
  })

  test('are not sent by the JSON editor if they are not exact', async () => {
    await page.open(lab.url, '#/tools/echo')
    await page.press('JSON')
    await page.page.$eval('textarea.code', (element) => element.select())
    await page.type('textarea.code', '{ "id": 9007199254740993 }')
    await page.waitFor('.detail button.primary:disabled')
    expect(await page.text('#raw-error')).toContain('cannot be sent exactly')
  })
})
