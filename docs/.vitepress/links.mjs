// Links of the pages lead to files of the repository. On the site, links to pages lead to pages of the site, and all other
// links to the file at the address of the repository.
import { dirname, relative } from 'node:path'
import { join } from 'node:path/posix'
import { fileURLToPath } from 'node:url'
import { urlInRepository } from './site.mjs'

const docs = fileURLToPath(new URL('../', import.meta.url))

/**
 * Rewrites a link of a page.
 *
 * @param page Path of the page, relative to `docs`.
 */
export function rewriteLink(page, href) {
  if (/^(?:[a-z]+:|[#/])/.test(href)) return href
  const [path, ...hash] = href.split(/(?=#)/)
  const target = join(dirname(page), path)
  if (target === 'index.md') return `/contents${hash.join('')}`
  if (target.startsWith('../')) return `${urlInRepository(target.slice(3).replace(/\/$/, ''))}${hash.join('')}`
  return target.endsWith('.md') ? href : urlInRepository(`docs/${target}`)
}

/** Plugin of markdown-it. */
export function rewriteLinks(markdown) {
  markdown.core.ruler.push('links-of-the-repository', ({ tokens, env }) => {
    const file = env.realPath ?? env.path
    // A heading is also parsed separately, without the path of its page.
    if (file === undefined) return
    const page = relative(docs, file).replaceAll('\\', '/')
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      if (token.type === 'link_open') token.attrSet('href', rewriteLink(page, token.attrGet('href')))
    }
  })
}

/** The anchors that GitHub makes, which the links of the pages use. */
export function slugify(heading) {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-')
}
