// Writes each page as Markdown beside its HTML, and llms.txt and llms-full.txt (https://llmstxt.org) for language models.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describePage, readContents } from './contents.mjs'
import { rewriteLink } from './links.mjs'
import { siteUrl } from './site.mjs'

/** Hook `buildEnd` of VitePress. */
export function writePlainText({ srcDir, outDir, pages, rewrites }) {
  const texts = new Map(pages.map((page) => [rewrites.map[page] ?? page, readPage(srcDir, page)]))
  for (const [page, text] of texts) write(join(outDir, page), text)
  cpSync(join(srcDir, 'images'), join(outDir, 'images'), { recursive: true })
  write(join(outDir, 'llms.txt'), listPages(texts))
  write(join(outDir, 'llms-full.txt'), joinPages(texts))
}

/** Reads a page without front matter and marks of tests. Its links lead to pages of the site, or to the repository. */
function readPage(srcDir, page) {
  // The home page has no text: the table of contents replaces it.
  const file = page === 'home.md' ? 'index.md' : page
  const text = readFileSync(join(srcDir, file), 'utf8').replaceAll(/^<!--[^]*?-->\n+/gm, '')
  const parts = text.split(/(^```[^]*?^```$)/m)
  return parts.map((part) => (part.startsWith('```') ? part : rewriteLinks(file, part))).join('')
}

function rewriteLinks(page, text) {
  return text.replaceAll(/(\]\()([^)\s]+)(?=\))/g, (link, open, href) => {
    const target = rewriteLink(page, href)
    const isImage = /\.(png|svg)$/.test(href)
    return isImage ? link : `${open}${target.startsWith('/') ? `${siteUrl}${target.slice(1)}` : target}`
  })
}

/** Pages in the order of the table of contents. */
function listPages(texts) {
  const groups = readContents().map(({ section, text, items }) => {
    const lines = items.map(({ text: title, link }) => {
      const page = texts.get(`${link.slice(1)}.md`)
      return `- [${title}](${siteUrl}${link.slice(1)}.md): ${firstSentence(describePage(page))}`
    })
    return `## ${section === text ? text : `${section}: ${text.toLowerCase()}`}\n\n${lines.join('\n')}\n`
  })
  const notes = `Each page is also Markdown at its address with \`.md\`. [All pages in one file](${siteUrl}llms-full.txt).`
  const summary = 'Toolwright turns decorated TypeScript classes into an MCP server, over HTTP (Fastify) or stdio.'
  return `# Toolwright\n\n> ${summary}\n\n${notes}\n\n${groups.join('\n')}`
}

function firstSentence(text) {
  return /^.*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text
}

function joinPages(texts) {
  const links = readContents().flatMap(({ items }) => items.map(({ link }) => link))
  const pages = links.map((link) => {
    const text = texts.get(`${link.slice(1)}.md`)
    return `<!-- ${siteUrl}${link.slice(1)} -->\n\n${text.trim()}\n`
  })
  return pages.join('\n')
}

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
