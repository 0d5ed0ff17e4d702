import chromium from '@sparticuz/chromium'
import { launch } from 'puppeteer-core'

/** Opens a page in a headless browser, and closes the browser after `use`. */
export async function withPage(viewport, use) {
  const browser = await launch({
    executablePath: process.env.TOOLWRIGHT_TEST_CHROMIUM ?? (await chromium.executablePath()),
    args: ['--no-sandbox', '--no-zygote', '--disable-gpu', '--font-render-hinting=none', '--hide-scrollbars'],
    headless: 'shell',
  })
  try {
    const page = await browser.newPage()
    await page.setViewport(viewport)
    return await use(page)
  } finally {
    await browser.close()
  }
}

/** Selects the light or the dark colours. */
export async function useTheme(page, theme) {
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }])
}
