import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitepress'
import { mendTheme } from './accessible-theme.mjs'
import { describePage, readContents } from './contents.mjs'
import { drawDiagrams } from './diagrams.mjs'
import { rewriteLinks, slugify } from './links.mjs'
import { markLongCode } from './long-code.mjs'
import { writePlainText } from './plain-text.mjs'
import { olderVersions, ref, repository, siteUrl, urlInRepository, version } from './site.mjs'

const base = new URL(siteUrl).pathname
const summary = 'MCP servers from decorated TypeScript classes, for every protocol revision, over HTTP or stdio.'

/** Sections other than the guides are collapsed, except the section of the open page. */
const isGuide = ({ section }) => section === 'How-to guides'

/** Renders a page for the index of the search, without the colours of code: they take most of the time. */
function renderForSearch(source, env, markdown) {
  // The table of contents has the title of every page, so the search would list it before the page.
  if (/^(?:index|home)\.md$/.test(env.relativePath)) return ''
  const { highlight } = markdown.options
  markdown.options.highlight = null
  try {
    return markdown.render(source, env)
  } finally {
    markdown.options.highlight = highlight
  }
}

export default defineConfig({
  title: 'Toolwright',
  description: summary,
  lang: 'en',
  base,
  cleanUrls: true,
  lastUpdated: false,
  srcExclude: ['snippets/**', 'public/**'],
  // On GitHub, index.md is the table of contents. On the site, the home page comes first.
  rewrites: { 'index.md': 'contents.md', 'home.md': 'index.md' },
  sitemap: { hostname: siteUrl },
  head: [
    ['link', { rel: 'icon', href: `${base}logo.svg`, type: 'image/svg+xml' }],
    ['meta', { name: 'theme-color', content: '#b5470f' }],
  ],

  markdown: {
    anchor: { slugify },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark' },
    config: (markdown) => {
      markdown.use(rewriteLinks)
      markdown.use(drawDiagrams)
      markdown.use(markLongCode)
    },
  },

  themeConfig: {
    logo: { src: '/logo.svg', alt: '' },
    nav: [
      { text: 'Tutorial', link: '/tutorials/first-server' },
      { text: 'Guides', link: '/contents', activeMatch: '^/(contents|how-to/)' },
      { text: 'Reference', link: '/reference/decorators', activeMatch: '^/reference/' },
      { text: 'Explanation', link: '/explanation/two-eras', activeMatch: '^/explanation/' },
      {
        text: version,
        items: [
          { text: 'Changelog', link: urlInRepository('CHANGELOG.md') },
          { text: 'Versioning', link: urlInRepository('VERSIONING.md') },
          ...olderVersions.map((older) => ({ text: older.version, link: older.url, target: '_self' })),
        ],
      },
    ],
    sidebar: readContents().map((group) => ({ ...group, collapsed: !isGuide(group) })),
    outline: { level: [2, 3] },
    notFound: {
      title: 'This page does not exist',
      quote: 'Use the search above, or find the page in the list of all pages.',
      link: `${base}contents`,
      linkText: 'All pages',
      linkLabel: 'All pages',
    },
    socialLinks: [{ icon: 'github', link: repository, ariaLabel: 'The repository on GitHub' }],
    editLink: { pattern: `${repository}/edit/${ref}/docs/:path`, text: 'Edit this page' },
    search: {
      provider: 'local',
      options: {
        _render: renderForSearch,
        miniSearch: { searchOptions: { boost: { title: 6, titles: 2, text: 1 }, prefix: true, fuzzy: 0.15 } },
      },
    },
  },

  transformPageData(page, { siteConfig }) {
    const source = readFileSync(join(siteConfig.srcDir, page.filePath), 'utf8')
    return { description: page.filePath === 'home.md' ? summary : describePage(source) || summary }
  },

  transformHead({ pageData: { relativePath, title, description } }) {
    const path = relativePath.replace(/(?:^|(?<=\/))index\.md$/, '').replace(/\.md$/, '')
    return [
      ['link', { rel: 'canonical', href: `${siteUrl}${path}` }],
      ['link', { rel: 'alternate', type: 'text/markdown', href: `${siteUrl}${relativePath}` }],
      ['meta', { property: 'og:title', content: title }],
      ['meta', { property: 'og:description', content: description }],
      ['meta', { property: 'og:url', content: `${siteUrl}${path}` }],
    ]
  },

  vite: { plugins: [mendTheme()] },
  buildEnd: writePlainText,
})
