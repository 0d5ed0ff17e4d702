import type { Page } from 'puppeteer-core'

/** Longest wait, for a machine under load. */
const timeout = 20_000

/** A page of the inspector, as its user sees it. */
export class InspectorPage {
  /** Errors and violations of the policy that the browser has reported. */
  readonly errors: string[] = []

  constructor(readonly page: Page) {
    page.setDefaultTimeout(timeout)
    page.on('pageerror', (error) => this.errors.push(String(error)))
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
        this.errors.push(message.text())
      }
    })
  }

  /**
   * Opens the inspector anew, without the settings of an earlier test.
   *
   * @param fragment Such as `#/tools/add`.
   */
  async open(url: string, fragment = ''): Promise<void> {
    await this.page.goto(`${url}/report`)
    await this.page.evaluate(() => {
      localStorage.clear()
      sessionStorage.clear()
    })
    await this.page.goto(`${url}${fragment}`)
    await this.page.waitForSelector('[data-state=ready]')
  }

  /** Opens another view, as a link would. */
  async show(fragment: string): Promise<void> {
    await this.page.evaluate((hash) => {
      location.hash = hash
    }, fragment)
  }

  async chooseEra(choice: 'modern' | 'legacy' | 'both'): Promise<void> {
    await this.page.click(`[data-choice=${choice}]`)
    const count = choice === 'both' ? 2 : 1
    await this.#until(
      (wanted) =>
        document.querySelectorAll('.pill').length === wanted &&
        document.querySelectorAll('[data-state=ready]').length === wanted,
      count,
    )
  }

  /** Adds a text to a field, selects an option, or sets a switch to `true` or `false`. */
  async fill(field: string, value: string, within = 'body'): Promise<void> {
    const selector = `${within} [data-field="${field}"] :is(input, select, textarea)`
    const control = await this.page.waitForSelector(selector, { visible: true })
    const isSelect = await control?.evaluate((element) => element.tagName === 'SELECT')
    const isSwitch = await control?.evaluate((element) => element.getAttribute('role') === 'switch')
    if (isSelect === true) await control?.select(value)
    else if (isSwitch === true) {
      const isOn = await control?.evaluate((element) => (element as HTMLInputElement).checked)
      if (String(isOn) !== value) await control?.click()
    } else await this.type(selector, value)
  }

  /** Presses a button by its text. */
  async press(text: string, within = 'body'): Promise<void> {
    const button = await this.page.waitForSelector(`${within} ::-p-xpath(.//button[normalize-space()="${text}"])`)
    await button?.click()
  }

  /** Sends the form of the feature, and waits for the result of each era. */
  async call(): Promise<void> {
    await this.send()
    await this.ended()
  }

  async send(): Promise<void> {
    await this.page.waitForSelector('.detail button.primary:not(:disabled)')
    await this.page.click('.detail button.primary')
    await this.page.waitForSelector('.result[data-status]')
  }

  async ended(): Promise<void> {
    await this.#until(() => {
      const results = [...document.querySelectorAll<HTMLElement>('.result[data-status]')]
      return results.length > 0 && results.every(({ dataset }) => dataset['status'] !== 'running')
    })
  }

  /**
   * Types into a field when it is visible: a dialog opens after its content is in the document, and would lose the first
   * letters. Waits until the field contains the text.
   */
  async type(selector: string, text: string): Promise<void> {
    const field = await this.page.waitForSelector(selector, { visible: true })
    await field?.type(text)
    await this.page.waitForFunction(
      (element, typed) => (element as HTMLInputElement | null)?.value.endsWith(typed) === true,
      {},
      field,
      text,
    )
  }

  async waitFor(selector: string): Promise<void> {
    await this.page.waitForSelector(selector)
  }

  /** Waits until at least `count` matching elements contain the text. */
  async waitForText(selector: string, text: string, count = 1): Promise<void> {
    await this.#until(
      (where, wanted, least) =>
        [...document.querySelectorAll(where)].filter((each) => each.textContent?.includes(wanted)).length >= least,
      selector,
      text,
      count,
    )
  }

  /** Texts of all elements that match. */
  texts(selector: string): Promise<string[]> {
    return this.page.$$eval(selector, (elements) => elements.map((element) => element.textContent ?? ''))
  }

  async text(selector: string): Promise<string> {
    return (await this.texts(selector)).join('\n')
  }

  statuses(): Promise<string[]> {
    return this.page.$$eval('.result[data-status]', (results) =>
      results.map((each) => each.getAttribute('data-status') ?? ''),
    )
  }

  /** Waits for a condition, and checks it whenever the page changes. */
  async #until<Args extends unknown[]>(condition: (...args: Args) => boolean, ...args: Args): Promise<void> {
    await this.page.waitForFunction(condition as (...given: unknown[]) => boolean, { polling: 'mutation' }, ...args)
  }
}
