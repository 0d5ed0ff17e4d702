import { assert, constantFrom, dictionary, jsonValue, property, string } from 'fast-check'
import { type DocumentFormat, InvalidDocument } from '../../src/install/documents/document.js'
import { jsonDocument } from '../../src/install/documents/json.js'
import { tomlDocument } from '../../src/install/documents/toml.js'

const entry = { url: 'http://127.0.0.1:3000/mcp', headers: { key: 'new-secret' } }
const path = ['mcpServers', 'words']

function add(format: DocumentFormat, text: string): string {
  return format.set(text, path, entry)
}

/** Line, column and message of the error that a function throws. */
function failure(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    if (error instanceof InvalidDocument) return `${error.line}:${error.column} ${error.message}`
    throw error
  }
  return 'none'
}

describe('JSON with comments', () => {
  test.each([
    [
      'comments beside and after members',
      '{\n  "mcpServers": {\n    "a": {} /* one */, // two\n    "b": {} // three\n\n    // four\n  } // five\n}\n',
    ],
    ['trailing commas', '{\n  "mcpServers": {\n    "a": { "x": [1, 2, ] }, // one\n  },\n}'],
    ['tabs', '{\n\t"mcpServers": {\n\t\t"a": {}\n\t}\n}\n'],
    ['the line ends of Windows', '{\r\n    "mcpServers": {\r\n        "a": {}\r\n    }\r\n}\r\n'],
    ['no white space', '{"n":3,"mcpServers":{"a":{"command":"x"}},"b":2}'],
    ['one line', '{ "mcpServers": { "a": {} } }'],
    ['an empty object', '{\n  "theme": "dark", // mine\n  "mcpServers": {}\n}\n'],
    ['only a comment', '{\n  "mcpServers": {\n    // none yet\n  }\n}\n'],
  ])('keeps %s', (_name, text) => {
    const added = add(jsonDocument, text)
    const { mcpServers, ...others } = jsonDocument.parse(added)
    const { mcpServers: before, ...othersBefore } = jsonDocument.parse(text)
    expect(mcpServers).toEqual({ ...(before as object), words: entry })
    expect(others).toEqual(othersBefore)
    expect(added.includes('\r\n')).toBe(text.includes('\r\n'))
    expect(jsonDocument.remove(added, path)).toBe(text)
  })

  test.each([
    ['{\n  "a": 1\n  "b": 2\n}', '3:3 comma expected'],
    ['{ "key": "secret', '1:10 unexpected end of string'],
    ['[]', '1:1 an object is expected'],
    ['{ "mcpServers": [] }', "1:17 'mcpServers' is not an object"],
    ['{}}', '1:3 end of file expected'],
  ])('reports the position of the mistake in %j', (text, message) => {
    expect(failure(() => add(jsonDocument, text))).toBe(message)
  })

  test('is unchanged after an entry is added and removed, for any object and indentation', () => {
    const value = dictionary(string(), jsonValue({ maxDepth: 2 }), { maxKeys: 4 })
    const space = constantFrom(undefined, ' ', '  ', '    ', '\t')
    assert(
      property(value, value, space, (others, servers, indent) => {
        const { words: _, ...neighbours } = servers
        const config = { ...others, mcpServers: { ...neighbours, last: {} }, after: 1 }
        const text = JSON.stringify(config, null, indent)
        const added = add(jsonDocument, text)
        expect(JSON.parse(added)).toEqual(
          JSON.parse(JSON.stringify({ ...config, mcpServers: { ...config.mcpServers, words: entry } })),
        )
        expect(jsonDocument.remove(added, path)).toBe(text)
      }),
      { numRuns: 200 },
    )
  })

  test('hides all values except the values of the entry', () => {
    const text =
      '{\n  // secret\n  "token": "secret",\n  "mcpServers": { "a": { "args": ["secret", 1234] } } /* secret\n secret */\n}\n'
    const hidden = jsonDocument.hide(add(jsonDocument, text), path)
    expect(hidden).not.toMatch(/secret|1234/)
    expect(hidden).toContain('"url": "http://127.0.0.1:3000/mcp"')
    expect(hidden.split('\n')).toHaveLength(add(jsonDocument, text).split('\n').length)
  })
})

describe('TOML', () => {
  test.each([
    ['comments', '# one\n[mcpServers.a] # two\n# three\nurl = "x" # four\n\n[z]\n# five\n'],
    ['the line ends of Windows', 'a = 1\r\n\r\n[mcpServers.a]\r\nurl = "x"\r\n'],
    ['inline tables', 'mcpServers = { a = { url = "x" } } # one\nx = 1\n'],
    [
      'dates, arrays of tables and strings of several lines',
      'd = 2024-01-15T10:00:00Z\n[[x]]\ny = """\n[a]\n"""\n\n[mcpServers.a]\nurl = "x"\n',
    ],
  ])('keeps %s', (_name, text) => {
    const added = add(tomlDocument, text)
    const { mcpServers, ...others } = tomlDocument.parse(added)
    const { mcpServers: before, ...othersBefore } = tomlDocument.parse(text)
    expect(mcpServers).toEqual({ ...(before as object), words: entry })
    expect(others).toEqual(othersBefore)
    for (const line of text.split(/\r?\n/)) expect(added).toContain(line.replace(/ \}.*/, ''))
    expect(tomlDocument.remove(added, path)).toBe(text)
  })

  test.each([
    ['the next table', '\n# company server, ask Ann\n[mcpServers.b]\nurl = "b"\n'],
    ['the end of the file', '\n# edited by Ann\n'],
    ['a table of another name', '\n# one\n["mcpServers"."words.b"] # two\nurl = "b"\n'],
    ['an array of tables', '\n# one\n[[profiles]]\n# two\nname = "a"\n'],
  ])('keeps comments before %s', (_name, rest) => {
    const own = '# own\n[mcpServers.words]\n# inside\ncommand = "node"\n\n[mcpServers.words.env]\nA = "b"\n'
    expect(tomlDocument.remove(own + rest, path)).toBe(`# own\n${rest}`)
    const withoutEnv = '# own\n[mcpServers.words]\n# inside\ncommand = "node"\n'
    expect(tomlDocument.remove(own + rest, [...path, 'env'])).toBe(withoutEnv + rest)
  })

  test.each([
    ['a = 1\nb = \n', /^2:\d+ Expected value/],
    ['[x\n', /^1:3 Expected table closing/],
    ['a = 1\nmcpServers = 5\n', /^2:1 'mcpServers' is not a table$/],
    ['[[mcpServers]]\nurl = "x"\n', /^1:1 'mcpServers' is not a table$/],
  ])('reports the position of the mistake in %j', (text, message) => {
    expect(failure(() => add(tomlDocument, text))).toMatch(message)
  })

  test('hides all values except the values of the entry', () => {
    const text = '# secret\ntoken = "secret" # secret\nlist = [\n  "secret",\n]\n[mcpServers.a.env]\nkey = \'secret\'\n'
    const hidden = tomlDocument.hide(add(tomlDocument, text), path)
    expect(hidden).not.toMatch(/secret/)
    expect(hidden).toContain('url = "http://127.0.0.1:3000/mcp"')
  })
})
