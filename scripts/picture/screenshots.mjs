// Takes docs/images/inspector-*.png and landing-page.png of the samples. Run `npm run build` first.
import { join } from 'node:path'
import { useTheme, withPage } from './browser.mjs'
import { Session } from './terminal.mjs'

const root = join(import.meta.dirname, '..', '..')
const command = join(root, 'packages', 'cli', 'bin', 'toolwright.js')

await serve('apps', async ({ inspector }) => {
  await withPage({ width: 1120, height: 720 }, async (page) => {
    await openTool(page, inspector, 'show_spending')
    await fill(page, 'month', '2031-04')
    await call(page)
    await page.waitForFunction(() => document.querySelector('iframe.app-frame')?.clientHeight > 150)
    await takePicture(page, 'inspector-light')
  })
})
await serve('calculator', async ({ inspector }) => {
  await withPage({ width: 1120, height: 720 }, async (page) => {
    await useTheme(page, 'dark')
    await openTool(page, inspector, 'add_numbers')
    await page.locator('::-p-text(Both)').click()
    await page.waitForSelector('[data-era=legacy][data-state=ready]')
    await fill(page, 'a', '2')
    await fill(page, 'b', '40')
    await call(page)
    await takePicture(page, 'inspector-dark')
  })
})
await serve('calculator', ({ url }) => takeLandingPage(url), '--no-inspector')

/** Runs a sample with `toolwright dev`. */
async function serve(sample, use, ...args) {
  const cwd = join(root, 'samples', sample)
  const dev = new Session(`node ${command} dev --no-types --port 0 ${args.join(' ')}`, {
    cwd,
    env: { FORCE_COLOR: '0' },
  })
  const [, url] = await dev.match(/MCP +(http:\S+)/)
  const [, inspector] = args.length > 0 ? [] : await dev.match(/inspector +(http:\S+)/)
  await dev.match(/tools +\w/)
  try {
    await use({ url, inspector })
  } finally {
    await dev.stop()
  }
}

async function takeLandingPage(url) {
  await withPage({ width: 680, height: 940 }, async (page) => {
    await page.goto(url)
    await page.evaluate((port) => {
      for (const node of document.querySelectorAll('code, pre'))
        node.textContent = node.textContent.replaceAll(port, '3000')
      for (const each of document.querySelectorAll('details')) each.open = each.textContent.startsWith('Cursor')
    }, new URL(url).port)
    await takePicture(page, 'landing-page')
  })
}

async function openTool(page, inspector, tool) {
  await page.goto(`${inspector}#/tools/${tool}`)
  await page.waitForSelector('[data-state=ready]')
}

async function fill(page, field, value) {
  const input = await page.waitForSelector(`[data-field="${field}"] :is(input, textarea)`)
  await input.type(value)
}

async function call(page) {
  await page.click('.detail button.primary')
  await page.waitForFunction(() => {
    const results = [...document.querySelectorAll('.result')]
    return results.length > 0 && results.every((result) => result.dataset.status === 'done')
  })
  await page.mouse.move(0, 0)
}

async function takePicture(page, name) {
  await page.screenshot({ path: join(root, 'docs', 'images', `${name}.png`) })
  console.log(`${name}.png`)
}
