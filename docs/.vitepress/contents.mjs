// Reads the table of contents, docs/index.md: the sidebar, the home page and llms.txt have its order and its words.
import { readFileSync } from 'node:fs'

const file = new URL('../index.md', import.meta.url)

/** The page that a visitor starts with. The table of contents links to it from its list of goals. */
const tutorial = { text: 'Your first server', link: '/tutorials/first-server', description: 'in ten minutes' }

/** Sections that list pages. The other section has questions. */
const sectionsOfPages = ['How-to guides', 'Reference', 'Explanation']

/**
 * Returns the groups of links in the order of the page. The lists of "How-to guides" have a heading each; the other
 * lists have that of their section.
 *
 * @returns {{ section: string, text: string, items: { text: string, link: string, description: string }[] }[]}
 */
export function readContents() {
  const [, ...sections] = readFileSync(file, 'utf8').split(/^## /m)
  const groups = sections.flatMap((section) => {
    const title = section.slice(0, section.indexOf('\n'))
    if (!sectionsOfPages.includes(title)) return []
    return [...section.matchAll(/(?:^(.+):\n\n)?((?:^- .*\n(?:^ {2}.*\n)*)+)/gm)].map(([, heading, list]) => ({
      section: title,
      text: heading ?? title,
      items: readItems(list),
    }))
  })
  const [first, ...others] = groups
  return [{ ...first, items: [tutorial, ...first.items] }, ...others]
}

function readItems(list) {
  return list
    .split(/^- /m)
    .slice(1)
    .map((item) => {
      const [, text, path, description = ''] = /^\[([^\]]+)\]\(([^)]+)\.md\)(?:[:,]? ([^]*))?$/.exec(item.trim()) ?? []
      if (text === undefined) throw new Error(`docs/index.md: not a link to a page with a description: ${item}`)
      return { text, link: `/${path}`, description: plain(description) }
    })
}

/** Removes marks of Markdown from a line of prose. */
export function plain(markdown) {
  return markdown
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/** Text of the first paragraph below the heading of a page, or the empty string. */
export function describePage(markdown) {
  const paragraphs = markdown.replaceAll(/<!--[^]*?-->/g, '').split(/\n{2,}/)
  const first = paragraphs.find((text) => /^(?:[^#\s|<`!-]|`(?!``))/.test(text))
  return plain(first ?? '').replace(/:$/, '.')
}
