import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { blocksIn, readPage, root } from './markdown.js'

const commands = blocksIn('README.md')
  .filter(({ language }) => language === 'sh')
  .flatMap(({ text }) => text.split('\n'))

const { scripts } = JSON.parse(readPage('package.json')) as { readonly scripts: object }

test('each npm script of the README exists, in the workspace or in a new project', () => {
  const named = commands.flatMap((line) =>
    [...line.matchAll(/npm (?:run )?(start|test|\w+)$/g)].map(([, name]) => name),
  )
  expect(named).toEqual(['start', 'test', 'pack', 'dev'])
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
