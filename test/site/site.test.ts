import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Browser, Page } from 'puppeteer-core'
import { markdownFiles } from '../docs/markdown.js'
import { describeInBrowser, launchBrowser } from '../support/browser.js'
import { BuiltSite, base, root } from './built-site.js'

// The site of the documentation, built once.

let site: BuiltSite

beforeAll(async () => {
  site = await BuiltSite.build()
  // The build takes a quarter of a minute, and minutes on a busy machine.
}, 600_000)
afterAll(() => site.remove())

const { repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly repository: string }

/** Public address of the site: GitHub Pages of the repository. */
const publicUrl = `https://${new URL(repository).pathname.split('/')[1]}.github.io${base}`

/** Paths of the pages, such as `how-to/ask-the-user`. On the site, the table of contents is not the first page. */
const pages = markdownFiles()
  .filter((file) => file.startsWith('docs/'))
  .map((file) => file.slice('docs/'.length, -'.md'.length))
  .map((path) => ({ home: 'index', index: 'contents' })[path] ?? path)

describe('the pages of the site', () => {
  test('are the pages of the repository', () => {
    const built = site.files('.html').map((file) => file.slice(0, -'.html'.length))
    expect(built.toSorted()).toEqual([...pages, '404'].toSorted())
  })

  test('are all in the navigation, except for the first page and the table of contents', () => {
    const sidebar =
      /<nav class="nav" id="VPSidebarNav"[^]*?<\/nav>/.exec(site.read('how-to/ask-the-user.html'))?.[0] ?? ''
    const linked = [...sidebar.matchAll(/href="([^"]+)"/g)].map(([, path = '']) => path.slice(base.length))
    expect(pages.filter((page) => !linked.includes(page)).toSorted()).toEqual(['contents', 'index'])
  })

  test('have internal links that lead to a page and to a heading on it', () => {
    const html = new Map(site.files('.html').map((file) => [file, site.read(file)]))
    const ids = new Map([...html].map(([file, text]) => [file, new Set(valuesOf(text, 'id'))]))
    const links = [...html].flatMap(([file, text]) => valuesOf(text, 'href').map((href) => ({ file, href })))
    const internal = links.filter(({ href }) => !/^(?:https?:|mailto:)/.test(href))
    expect(internal.length).toBeGreaterThan(5000)
    const dead = internal.filter(({ file, href }) => {
      const { pathname, hash } = new URL(href, `${publicUrl}${file}`)
      const target = fileAt(pathname, site)
      if (target === null) return true
      return hash !== '' && ids.get(target)?.has(decodeURIComponent(hash.slice(1))) !== true
    })
    expect(dead.map(({ file, href }) => `${file} links to ${href}`)).toEqual([])
  })

  test('have links into the repository that lead to a file', () => {
    const links = site.files('.html').flatMap((file) => valuesOf(site.read(file), 'href'))
    const paths = links.flatMap((href) =>
      href.startsWith(`${repository}/`) ? [href.slice(repository.length + 1).split('#')[0] ?? ''] : [],
    )
    expect(paths.length).toBeGreaterThan(100)
    const dead = paths.filter((path) => !existsSync(join(root, path.replace(/^(?:blob|tree|edit)\/main\//, ''))))
    expect(dead).toEqual([])
  })

  test('have a unique title, a description and a public address', () => {
    const heads = pages.map((page) => {
      const text = site.read(`${page}.html`)
      const [, title] = /<title>([^<]+)<\/title>/.exec(text) ?? []
      const [, description] = /<meta name="description" content="([^"]+)"/.exec(text) ?? []
      return { page, title, description, canonical: /<link rel="canonical" href="([^"]+)"/.exec(text)?.[1] }
    })
    expect(new Set(heads.map(({ title }) => title)).size).toBe(pages.length)
    expect(heads.filter(({ description = '' }) => description.length < 20)).toEqual([])
    expect(heads.filter(({ page, canonical }) => canonical !== `${publicUrl}${page === 'index' ? '' : page}`)).toEqual(
      [],
    )
  })
})

describe('the text of the site for language models', () => {
  test('has each page at its address with .md, without hidden comments for tests', () => {
    expect(site.files('.md').toSorted()).toEqual(pages.map((page) => `${page}.md`).toSorted())
    const texts = pages.map((page) => site.read(`${page}.md`))
    expect(
      texts.filter((text) => !text.startsWith('# ') || /<!-- (?:snippet|input|output|options)/.test(text)),
    ).toEqual([])
  })

  test('has links that lead to files of the site', () => {
    const dead = site.files('.md').flatMap((file) =>
      linksIn(site.read(file))
        .filter((href) => !href.startsWith('#'))
        .map((href) => (href.startsWith(publicUrl) ? href.slice(publicUrl.length - base.length) : href))
        .filter((href) => !/^[a-z]+:/.test(href))
        .map((href) => (href.startsWith('/') ? href : `${base}${join(dirname(file), href).replaceAll('\\', '/')}`))
        .filter((href) => fileAt(href.split('#')[0] ?? '', site) === null)
        .map((href) => `${file} links to ${href}`),
    )
    expect(dead).toEqual([])
  })

  test('lists the pages in llms.txt, each with a description, and has all of them in llms-full.txt', () => {
    const list = site.read('llms.txt')
    expect(list).toMatch(/^# Toolwright\n\n> Toolwright turns decorated TypeScript classes into an MCP server/)
    const items = [...list.matchAll(/^- \[([^\]]+)\]\(([^)]+)\): (.+)$/gm)]
    const own = pages.filter((page) => page !== 'index' && page !== 'contents')
    expect(items.map(([, , href = '']) => href).toSorted()).toEqual(
      own.map((page) => `${publicUrl}${page}.md`).toSorted(),
    )
    expect(items.filter(([, , , description = '']) => description.length < 20)).toEqual([])
    const full = site.read('llms-full.txt')
    expect(own.filter((page) => !full.includes(site.read(`${page}.md`).trim()))).toEqual([])
  })
})

describeInBrowser('the site in a browser', () => {
  let browser: Browser
  let page: Page
  let server: Awaited<ReturnType<BuiltSite['serve']>>
  const errors: string[] = []

  beforeAll(async () => {
    ;[browser, server] = await Promise.all([launchBrowser(), site.serve()])
    const [first] = await browser.pages()
    page = first as Page
    page.setDefaultTimeout(20_000)
    page.on('pageerror', (error) => errors.push(String(error)))
    page.on('requestfailed', (request) => errors.push(`${request.url()} failed`))
    await page.setViewport({ width: 1440, height: 900 })
  })

  afterAll(async () => {
    await browser.close()
    await server.close()
  })

  afterEach(() => {
    if (errors.length > 0) throw new Error(errors.splice(0).join('\n'))
  })

  /** Opens a page, and waits until its scripts run. */
  async function open(path: string): Promise<void> {
    await page.goto(`${server.url}${path}`)
    await page.waitForFunction(() => '__vue_app__' in (document.querySelector('#app') ?? {}))
  }

  const pressed = async (key: Parameters<Page['keyboard']['press']>[0], times = 1): Promise<void> => {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    for (let count = 0; count < times; count++) await page.keyboard.press(key)
  }

  /** Text of the element that has the focus. */
  const focused = (): Promise<string> => page.evaluate(() => document.activeElement?.textContent?.trim() ?? '')

  test.each([
    ['elicit', 'how-to/ask-the-user'],
    ['DPoP', 'reference/authentication'],
    ['-32021', 'reference/errors'],
    ['sessionNotFound', 'reference/errors'],
  ])('finds %s by the search, with the keyboard alone', async (words, expected) => {
    await open('')
    await pressed('/')
    await page.waitForSelector('#localsearch-input')
    // At once: results for the first letters would be found meanwhile.
    await page.keyboard.sendCharacter(words)
    await page.waitForFunction(
      (path) =>
        [...document.querySelectorAll('.VPLocalSearchBox .result')].some((each) => each.outerHTML.includes(path)),
      { polling: 'mutation' },
      expected,
    )
    const results = await page.$$eval('.VPLocalSearchBox a.result', (links) => links.map(({ href }) => href))
    const place = results.findIndex((href) => href.includes(expected))
    await pressed('ArrowDown', place)
    await pressed('Enter')
    await page.waitForFunction((path) => location.pathname.endsWith(path), {}, expected)
    expect(place).toBeLessThan(8)
  })

  test('can be used with the keyboard: skip the navigation, follow a link, open a menu', async () => {
    await open('how-to/ask-the-user')
    await pressed('Tab')
    expect(await focused()).toBe('Skip to content')
    await pressed('Enter')
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('VPContent')
    await pressed('Tab', 2)
    await page.focus('.VPSidebar a[href$="/how-to/serve-resources"]')
    await pressed('Enter')
    await page.waitForFunction(() => document.querySelector('h1')?.textContent?.startsWith('Serve resources'))
    await page.focus('.VPNavBar .VPFlyout button')
    await pressed('Enter')
    await page.waitForFunction(
      () => document.querySelector('.VPFlyout button')?.getAttribute('aria-expanded') === 'true',
    )
  })

  test('scrolls in one direction only, on narrow and on wide screens', async () => {
    await open('contents')
    const wide: string[] = []
    for (const width of [390, 1440]) {
      // oxlint-disable-next-line no-await-in-loop -- one browser
      await page.setViewport({ width, height: 900 })
      for (const path of pages) {
        const [, body = ''] = /<div id="app">([^]*)<\/div>\s*<script/.exec(site.read(`${path}.html`)) ?? []
        // oxlint-disable-next-line no-await-in-loop
        const excess = await page.evaluate(excessWidth, body)
        if (excess > 0) wide.push(`${path}: ${excess} pixels at ${width}`)
      }
    }
    expect(wide).toEqual([])
  })

  test.each([
    ['', 1440, 'light'],
    ['', 390, 'dark'],
    ['contents', 390, 'light'],
    ['how-to/ask-the-user', 1440, 'dark'],
    ['reference/errors', 1440, 'light'],
    ['explanation/security-model', 390, 'dark'],
  ] as const)(
    '/%s has no serious fault that axe finds, %i pixels wide and in %s colours',
    async (path, width, scheme) => {
      await page.setViewport({ width, height: 900 })
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
      await open(path)
      expect(await page.evaluate(() => document.documentElement.classList.contains('dark'))).toBe(scheme === 'dark')
      expect(await seriousFaults(page)).toEqual([])
    },
  )

  test('has a search without a serious fault that axe finds', async () => {
    await page.setViewport({ width: 1440, height: 900 })
    await open('contents')
    await pressed('/')
    await page.waitForSelector('#localsearch-input')
    await page.keyboard.type('elicit')
    await page.waitForSelector('.VPLocalSearchBox .result')
    expect(await seriousFaults(page)).toEqual([])
  })
})

/** Runs in the browser: replaces the page by another, which is faster than loading it, and measures its width. */
function excessWidth(body: string): number {
  const app = document.querySelector('#app')
  if (app !== null) app.innerHTML = body
  return document.documentElement.scrollWidth - window.innerWidth
}

const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')

interface Fault {
  readonly id: string
  readonly impact: string | null
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
}

async function seriousFaults(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe)
  const faults = (await page.evaluate(
    "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations)",
  )) as readonly Fault[]
  return faults
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.slice(0, 3).map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
    )
}

function valuesOf(html: string, attribute: string): string[] {
  const text = html.replaceAll(/<script[^]*?<\/script>/g, '')
  return [...text.matchAll(new RegExp(`\\s${attribute}="([^"]*)"`, 'g'))].map(([, value = '']) =>
    value.replaceAll('&amp;', '&'),
  )
}

/** The file that a static host serves at a path, or `null`. */
function fileAt(path: string, { folder }: BuiltSite): string | null {
  if (!path.startsWith(base)) return null
  const name = path.slice(base.length)
  const candidates = name === '' ? ['index.html'] : [`${name}.html`, name]
  return candidates.find((candidate) => existsSync(join(folder, candidate))) ?? null
}

function linksIn(markdown: string): string[] {
  const text = markdown.replaceAll(/^```[^]*?^```$/gm, '')
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, href = '']) => href)
}
