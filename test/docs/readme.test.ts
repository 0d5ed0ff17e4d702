import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { blocksIn, markdownFiles, readPage, root } from './markdown.js'

// `npm run rehearse-readme` runs the commands.

const commands = blocksIn('README.md')
  .filter(({ language }) => language === 'sh')
  .flatMap(({ text }) => text.split('\n'))

const { scripts } = JSON.parse(readPage('package.json')) as { readonly scripts: object }

test('each npm script of the README exists, in the workspace or in a new project', () => {
  const named = commands.flatMap((line) =>
    [...line.matchAll(/npm (?:run )?(start|test|\w+)$/g)].map(([, name]) => name),
  )
  expect(named).toEqual(['start', 'pack', 'dev'])
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(['start', 'test', 'pack']))
  expect(readPage('packages/create-toolwright/src/manifest.ts')).toContain("dev: 'toolwright dev'")
})

test('each program of the README exists', () => {
  const programs = commands.flatMap((line) => [...line.matchAll(/^node (\S+)/g)].map(([, path = '']) => path))
  expect(programs).toEqual(['packages/create-toolwright/bin/create-toolwright.js'])
  expect(programs.filter((path) => !existsSync(join(root, path)))).toEqual([])
})

test('until the first release, the README installs nothing from npm by the names of our packages', () => {
  const text = readPage('README.md')
  expect(text).not.toMatch(/npm (i|install|create|init) (--save-dev )?(@toolwright\/|create-toolwright|toolwright)/)
  expect(text).toContain('Toolwright is not on npm yet')
})

test('until the first release, each page that installs one of our packages says that it is not on npm yet', () => {
  const install = /^(?:npm|pnpm|yarn) (?:i|install|create|add) (?:-D |--save-dev )?(?:@toolwright\/|toolwright)/m
  const installing = markdownFiles().filter((file) => file.startsWith('docs/') && install.test(readPage(file)))
  expect(installing.length).toBeGreaterThan(5)
  expect(installing.filter((file) => !/not on npm yet|Until the first release/.test(readPage(file)))).toEqual([])
})

test('each advantage that the comparison claims has a link', () => {
  const rows = readPage('README.md')
    .split('\n')
    .filter((line) => /^\| [^|]+ \| [✓◐]/.test(line))
  expect(rows.length).toBeGreaterThan(10)
  expect(rows.filter((row) => !/^\| [^|]*\]\((?:docs|test)\//.test(row))).toEqual([])
})

test('the comparison has the versions of the frameworks that are compared in code', () => {
  const [heading = ''] = readPage('README.md')
    .split('\n')
    .filter((line) => line.startsWith('| | Toolwright'))
  const rows = readPage('test/migrations/rows.mjs')
  const versions = [...heading.matchAll(/\]\(\S+\) (\d+\.\d+)/g)].map(([, version]) => version)
  expect(versions).toHaveLength(7)
  const [sdk, , fastmcp, nest, xmcp] = versions
  expect(rows).toContain(`'@modelcontextprotocol/server': '${sdk}.`)
  expect(rows).toContain(`fastmcp: '${fastmcp}.`)
  expect(rows).toContain(`'@rekog/mcp-nest': '${nest}.`)
  expect(rows).toContain(`xmcp: '${xmcp}.`)
})
