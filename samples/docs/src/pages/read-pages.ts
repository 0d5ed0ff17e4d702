import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import type { Page, Section } from './page.js'

/**
 * Reads the pages of a folder and of the folders in it. Hidden files, and files
 * without a heading, are left out.
 */
export function readPages(folder: string): readonly Page[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter(
      (file) =>
        !file
          .split(sep)
          .some((name) => name.startsWith('.') || name === 'node_modules'),
    )
  return files.toSorted().flatMap((file) => {
    const path = file.slice(0, -'.md'.length).replaceAll(sep, '/')
    return readPage(path, readFileSync(join(folder, file), 'utf8'))
  })
}

/** @returns An empty list for a text without a heading. */
export function readPage(path: string, markdown: string): readonly Page[] {
  const text = markdown
    .replaceAll('\r\n', '\n')
    .replace(/^---\n[^]*?\n---\n/, '')
    .replaceAll(/^<!--[^]*?-->\n+/gm, '')
    .trim()
  const sections = splitSections(text)
  const [first] = sections
  if (first === undefined) return []
  return [
    {
      path,
      title: first.heading,
      description: describe(first.text),
      text,
      sections,
    },
  ]
}

/**
 * Splits a page at its headings. Lines that begin with # in blocks of code are
 * comments of shells.
 */
function splitSections(text: string): readonly Section[] {
  const sections: { heading: string; lines: string[] }[] = []
  let isCode = false
  for (const line of text.split('\n')) {
    if (/^(```|~~~)/.test(line)) isCode = !isCode
    const heading = isCode ? undefined : /^#{1,6} (.+)$/.exec(line)?.[1]
    if (heading !== undefined)
      sections.push({ heading: plain(heading), lines: [] })
    sections.at(-1)?.lines.push(line)
  }
  return sections.map(({ heading, lines }) => ({
    heading,
    text: lines.join('\n').trim(),
  }))
}

function describe(text: string): string {
  const paragraph = text.split(/\n{2,}/).find((part) => /^[^#|<`!-]/.test(part))
  return plain(paragraph ?? '').replace(/:$/, '.')
}

/** Removes the marks of Markdown from a line or a paragraph. */
export function plain(markdown: string): string {
  return markdown
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
