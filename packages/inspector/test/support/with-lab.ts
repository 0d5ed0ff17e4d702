import type { Browser, Page } from 'puppeteer-core'
import { launchBrowser } from '../../../../test/support/browser.js'
import { InspectorPage } from './inspector-page.js'
import { type Lab, startLab } from './schema-lab.js'

export interface LabAndPage {
  lab: Lab
  page: InspectorPage
}

/** Starts a browser and the laboratory before all tests of the file, and closes both after them. */
export function useLab(schemas: Readonly<Record<string, unknown>> = {}): LabAndPage {
  const used = {} as LabAndPage
  let browser: Browser
  beforeAll(async () => {
    ;[browser, used.lab] = await Promise.all([launchBrowser(), startLab(schemas)])
    const [first] = await browser.pages()
    used.page = new InspectorPage(first as Page)
    await used.page.page.setViewport({ width: 1100, height: 800 })
  })
  afterAll(async () => {
    await browser.close()
    await used.lab.close()
  })
  return used
}
