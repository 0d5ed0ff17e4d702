import { join } from 'node:path'
import { type ConnectedSample, call, connectSample, programLanes } from '../../../test/support/sample.js'
import { questions } from './questions.js'

const docs = join(__dirname, '..', '..', '..', 'docs')

describe.each(programLanes)('docs over $lane, $era', (lane) => {
  let sample: ConnectedSample

  beforeAll(async () => {
    sample = await connectSample('docs', lane, { PAGES: docs })
  })
  afterAll(() => sample.close())

  const search = async (query: string): Promise<readonly { path: string; section: string; excerpt: string }[]> => {
    const { structuredContent } = await sample.client.callTool({ name: 'search_pages', arguments: { query, limit: 3 } })
    return (structuredContent as { pages: { path: string; section: string; excerpt: string }[] }).pages
  }

  it.each(questions)('finds the page that answers: $question', async ({ question, page }) => {
    const found = await search(question)
    expect(found.map(({ path }) => path)).toContain(page)
  })

  it('names the section that answers, with an excerpt without marks of Markdown', async () => {
    const [first] = await search('Which error do I get for an unknown session?')
    expect(first).toMatchObject({ path: 'reference/errors', section: 'Errors on the wire' })
    expect(first?.excerpt).toMatch(/session/i)
    expect(first?.excerpt).not.toMatch(/[`*[\]]/)
  })

  it('reads a page and a section of it', async () => {
    const path = 'how-to/ask-the-user'
    const page = await call(sample.client, 'read_page', { path })
    expect(page).toMatchObject({
      content: [{ type: 'text', text: expect.stringMatching(/^# Ask the user/) as string }],
    })
    const section = await call(sample.client, 'read_page', { path, section: 'Run code once' })
    expect(section).toMatchObject({ content: [{ text: expect.stringMatching(/^## Run code once/) as string }] })
    expect(await call(sample.client, 'read_page', { path: 'how-to/ask' })).toEqual({
      content: [{ type: 'text', text: "There is no page 'how-to/ask'. Did you mean 'how-to/ask-the-user'?" }],
      isError: true,
    })
  })

  it('has a resource for each page, and no resource for other files', async () => {
    const { resources } = await sample.client.listResources()
    expect(resources.length).toBeGreaterThan(55)
    expect(resources.map(({ uri }) => uri)).toContain('docs://reference/errors')
    const { contents } = await sample.client.readResource({ uri: 'docs://reference/errors' })
    expect(contents).toEqual([
      {
        uri: 'docs://reference/errors',
        mimeType: 'text/markdown',
        text: expect.stringMatching(/^# Errors\n/) as string,
      },
    ])
  })
})
