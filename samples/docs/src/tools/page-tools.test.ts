import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect } from '@toolwright/testing'
import { container } from 'toolwright'
import { Library } from '../pages/library.js'
import { readPage } from '../pages/read-pages.js'
import { servePages } from '../serve-pages.js'
import { PageTools } from './page-tools.js'

const library = new Library([
  ...readPage(
    'install',
    '# Install\n\nPut it on a shelf.\n\n## On a boat\n\nUse `ropes`, against the waves.\n',
  ),
  ...readPage(
    'light',
    '# Light the lamp\n\nYou need oil and a match.\n\n```sh\n# a comment\n```\n',
  ),
])

const options = {
  name: 'docs',
  version: '1.0.0',
  controllers: [PageTools],
  container: container
    .createChildContainer()
    .registerInstance(Library, library),
  onReady: ({ catalog }: { catalog: Parameters<typeof servePages>[0] }) =>
    servePages(catalog, library),
}

test('finds a page by another form of a word, and names the section', async () => {
  await using docs = await connect(options)
  const { structuredContent } = await docs.client.callTool({
    name: 'search_pages',
    arguments: { query: 'a wave' },
  })
  const excerpt = 'Use ropes, against the waves.'
  const found = {
    path: 'install',
    title: 'Install',
    section: 'On a boat',
    excerpt,
    uri: 'docs://install',
  }
  assert.deepEqual(structuredContent, { pages: [found] })
})

test('reads a section, and names the existing sections if there is no such section', async () => {
  await using docs = await connect(options)
  const read = async (args: Record<string, string>) => {
    const { content } = await docs.client.callTool({
      name: 'read_page',
      arguments: args,
    })
    return (content as { text: string }[])[0]?.text
  }
  assert.equal(
    await read({ path: 'install', section: 'on a boat' }),
    '## On a boat\n\nUse `ropes`, against the waves.',
  )
  assert.match(
    (await read({ path: 'install', section: 'On ice' })) ?? '',
    /Its sections are: Install, On a boat\.$/,
  )
  assert.equal(
    await read({ path: 'lamp' }),
    "There is no page 'lamp'. Did you mean 'light'?",
  )
})

test('serves each page as a resource', async () => {
  await using docs = await connect(options)
  const { resources } = await docs.client.listResources()
  assert.deepEqual(
    resources.map(({ uri, title, description }) => [uri, title, description]),
    [
      ['docs://install', 'Install', 'Put it on a shelf.'],
      ['docs://light', 'Light the lamp', 'You need oil and a match.'],
    ],
  )
  const { contents } = await docs.client.readResource({ uri: 'docs://light' })
  assert.match((contents[0] as { text: string }).text, /# a comment/)
})
