import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { markdownFiles, readPage, root } from './markdown.js'

interface Link {
  readonly file: string
  readonly target: string
}

const links: readonly Link[] = markdownFiles().flatMap((file) =>
  [...withoutCode(readPage(file)).matchAll(/\]\(([^)\s]+)\)/g)]
    .map((match) => ({ file, target: match[1] ?? '' }))
    .filter(({ target }) => !/^[a-z]+:/.test(target)),
)

test('every link within the repository leads to a file', () => {
  const dead = links.filter(({ file, target }) => !existsSync(pathOf(file, target)))
  expect(dead.map(({ file, target }) => `${file} links to ${target}, which is not there`)).toEqual([])
})

test('every link to a section leads to a heading', () => {
  const dead = links.filter(({ file, target }) => !leadsToHeading(file, target))
  expect(dead.map(({ file, target }) => `${file} links to ${target}, which has no such heading`)).toEqual([])
})

test('every page can be reached from the README', () => {
  const reached = new Set(['README.md'])
  for (const page of reached) {
    for (const { target } of links.filter(({ file }) => file === page)) {
      const path = pathOf(page, target)
        .slice(root.length + 1)
        .replaceAll('\\', '/')
      if (path.endsWith('.md')) reached.add(path)
    }
  }
  // On GitHub, the README takes the place of the site's home page.
  const isApart = (file: string): boolean => /^(packages|samples)\//.test(file) || file === 'docs/home.md'
  const lost = markdownFiles().filter((file) => !reached.has(file) && !isApart(file))
  expect(lost.map((file) => `${file} is linked from nowhere`)).toEqual([])
})

function pathOf(file: string, target: string): string {
  const [path = ''] = target.split('#')
  return path === '' ? join(root, file) : join(root, dirname(file), path)
}

function leadsToHeading(file: string, target: string): boolean {
  const [, anchor] = target.split('#')
  const path = pathOf(file, target)
  if (anchor === undefined || !path.endsWith('.md') || !existsSync(path)) return true
  const headings = withoutCode(readPage(path.slice(root.length + 1))).matchAll(/^#+ (.+)$/gm)
  return [...headings].some((heading) => slugOf(heading[1] ?? '') === anchor)
}

/** The anchor that GitHub generates. */
function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')
}

function withoutCode(page: string): string {
  return page.replace(/^```[\s\S]*?^```$/gm, '')
}
