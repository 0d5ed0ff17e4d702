import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { markdownFiles, root } from './markdown.js'

// The site reads its navigation from docs/index.md. The tests of test/site build it, which takes a minute.

test('the table of contents lists each page once, as the site reads it', () => {
  const module = pathToFileURL(join(root, 'docs', '.vitepress', 'contents.mjs')).href
  const program = `import { readContents } from '${module}'; console.log(JSON.stringify(readContents()))`
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' })
  const groups = JSON.parse(output) as readonly { readonly items: readonly { readonly link: string }[] }[]
  const listed = groups.flatMap(({ items }) => items.map(({ link }) => `docs${link}.md`))
  const pages = markdownFiles().filter((file) => file.startsWith('docs/') && !/^docs\/(home|index)\.md$/.test(file))
  expect(listed.toSorted()).toEqual(pages.toSorted())
})
