import { faultOf, piecesOfCode, piecesOfPage, readSentences, splitAll } from './prose.js'

describe('the prose of the repository', () => {
  test('follows the rules of plain English in comments, titles of tests and pages', () => {
    const sentences = readSentences()
    expect(sentences.length).toBeGreaterThan(5000)
    const faults = sentences
      .map((sentence) => ({ ...sentence, fault: faultOf(sentence.text) }))
      .filter(({ fault }) => fault !== null)
    expect(faults.map(({ file, line, text, fault }) => `${file}:${line}: "${text}" (${fault})`)).toEqual([])
  })
})

describe('the rules of plain English', () => {
  test.each([
    ['What describes a tool.', 'What'],
    ['Of what the handler returned.', 'Of what'],
    ['That whoever calls gets.', 'whoever'],
    ['where proofs are required, a token is rejected', 'where'],
    ['"Which" is the first word.', '"Which'],
    ['`callTool`, and nobody waits for it.', 'nobody'],
    ['Clients are told to retry.', 'are told'],
    ['A slow call holds up others.', 'holds up'],
    ['It has a port of its own.', 'of its own'],
  ])('reject %j for its %j', (sentence, words) => {
    expect(faultOf(sentence)).toContain(`'${words}'`)
  })

  test.each(['Encodes the value.', 'Whether it is one.', 'Which clients work?', 'Where', 'Whereas a tool is called.'])(
    'accept %j',
    (sentence) => expect(faultOf(sentence)).toBeNull(),
  )
})

describe('the search for sentences', () => {
  test('finds comments and titles in code, with their lines', () => {
    const code = [
      '/**',
      ' * Adds numbers. Who calls,',
      ' * and `why`? No.',
      ' *',
      ' * @param first What to add.',
      ' */',
      'add(1) // In place',
      '// @ts-expect-error -- An unknown option',
      "test('adds', () => {})",
      "])(\n  'adds %s',\n  async (first) => {},",
    ].join('\n')
    expect(splitAll(piecesOfCode(code)).map(({ line, text }) => `${line} ${text}`)).toEqual([
      '2 Adds numbers.',
      '2 Who calls, and ``?',
      '3 No.',
      '5 What to add.',
      '7 In place',
      '8 An unknown option',
      '9 adds',
      '11 adds %s',
    ])
  })

  test('finds headings, paragraphs, items and cells in pages, with their lines', () => {
    const page = [
      '# What it is',
      '',
      'A [server](x.md)',
      'of tools. It runs.',
      '- One',
      '  item',
      '- Two',
      '',
      '```ts',
      'What is code',
      '```',
      '<!-- What is hidden -->',
      '| Name | What it does |',
      '| --- | --- |',
      '| `a` | Adds |',
    ].join('\n')
    expect(splitAll(piecesOfPage(page)).map(({ line, text }) => `${line} ${text}`)).toEqual([
      '1 What it is',
      '3 A server of tools.',
      '4 It runs.',
      '5 One item',
      '7 Two',
      '13 Name',
      '13 What it does',
      '15 ``',
      '15 Adds',
    ])
  })
})
