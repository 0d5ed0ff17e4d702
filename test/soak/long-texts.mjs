// JSON within the limits that takes a server a long time: because of its shape, its strings, or its formats.

/** As encoded in JSON. */
export const wide = { ascii: 'x', 'beyond ASCII': '世' }
export const paddings = {
  ...wide,
  'Latin-1': 'é',
  'beyond two bytes': '😀',
  quotes: '\\"',
  backslashes: '\\\\',
  tabs: '\\t',
  'control characters': '\x7f',
  'control characters, escaped': '\\u0001',
  'some control characters': 'x\x7f',
}

/** Objects with one list, of every shape and with every padding: their descriptions, and functions that return their JSON. */
export function* longObjects({ bytes, keys, items }, used) {
  for (const [shape, parts] of Object.entries(shapes(keys, items))) {
    for (const [padding, character] of Object.entries(used)) {
      const room = bytes - Buffer.byteLength(parts)
      const json = () => `{"list":[${parts},"${character.repeat(room / Buffer.byteLength(character))}"]}`
      yield { shape, padding, json }
    }
  }
}

function shapes(keys, items) {
  return {
    'keys of one object': members(keys, (index) => `"${index.toString(36)}":0`),
    'long keys': members(keys, (index) => `"${index}${'x'.repeat(350)}":0`),
    'objects with a key each': list(keys, (index) => `{"${index.toString(36)}":{}}`),
    rows: list(keys / 4, (index) => `{"id":${index},"name":"row ${index}","price":${index / 7},"sold":false}`),
    'objects in objects': list(keys / 50, (row) => nested(50, (level) => `{"${row * 50 + level}":`, '0', '}')),
    'a suspicious key': list(keys, (index) => (index === 0 ? '{"constructor":0}' : `{"k${index}":{}}`)),
    'empty objects': list(items, () => '{}'),
    'lists in lists': list(items / 50, () => nested(50, () => '[', '', ']')),
    numbers: list(items, (index) => String(index / 7)),
    texts: list(items, (index) => `"${index}"`),
    'equal texts': list(items, () => '"x"'),
    'one text': '0',
  }
}

/** The slowest inputs of the libraries: a prefix, and the string repeated after it, encoded in JSON. */
const slowTexts = {
  date: [['', '1']],
  time: [['10:10:10.', '1']],
  'date-time': [
    ['', 'T'],
    ['2026-01-01T10:10:10.', '1'],
    ['2026-01-01T10:10:10Z[', 'A/'],
  ],
  duration: [['P', '1']],
  uuid: [['', 'a']],
  ipv4: [['', '1.']],
  ipv6: [['', '::']],
  email: [['a@', 'aa.']],
  'idn-email': [
    ['a@', '世.'],
    ['a@', 'e\u0301\u0323'],
  ],
  hostname: [
    ['', 'xn--a.'],
    ['', 'xn--fiqs8s.'],
  ],
  'idn-hostname': [
    ['', '世.'],
    ['', '世界中文世界中文世界中文.'],
    ['', 'é'],
    ['a--', 'a'],
  ],
  uri: [['http://', 'a']],
  'uri-reference': [['', '%20']],
  iri: [
    ['http://', '世'],
    ['http://', '世界中文.'],
    ['http://a/', '世'],
    ['http://', '%e4%b8%96.'],
    ['http://a:b', '@'],
  ],
  'iri-reference': [
    ['//', '世.'],
    ['', '../'],
  ],
  url: [
    ['http://', ':'],
    ['http://', ':@a.'],
    ['http:', '世界中文.'],
    ['http:\\t//', '世.'],
    ['http://', '%e4%b8%96.'],
    ['http:///', '世'],
  ],
  'uri-template': [['{', 'a']],
  regex: [
    ['', '\\\\p{L}'],
    ['', '[\\\\p{L}-\\\\p{N}]'],
    ['', '(?<=a'],
    ['', '\\\\p{X}'],
  ],
  byte: [['', 'A\\n']],
  'json-pointer': [['/', 'a']],
  pattern: [['', 'a ']],
}

export const formats = Object.keys(slowTexts)

/** For each format one long string, and lists with the maximum number of short and long strings, as functions. */
export function* formattedTexts({ bytes, items }) {
  for (const [format, texts] of Object.entries(slowTexts)) {
    for (const [start, part] of texts) {
      const ofBytes = (length) => start + part.repeat(Math.max(1, (length - start.length) / Buffer.byteLength(part)))
      yield { format, tools: ['take_texts', 'take_texts_json'], json: () => `{"${format}":"${ofBytes(bytes)}!"}` }
      for (const length of [bytes / items, 1000]) {
        // Makes each string unique.
        const text = ofBytes(length - 10)
        const count = Math.min(items, bytes / (Buffer.byteLength(text) + 10))
        const different = () => list(count, (index) => `"${text}${index.toString(36)}"`)
        yield {
          format,
          tools: ['take_lists', 'take_lists_json', 'echo_lists'],
          json: () => `{"${format}":[${different()}]}`,
        }
        // The rest is valid.
        yield { format, tools: ['take_lists', 'take_lists_json'], json: () => `{"${format}":[${different()},0]}` }
      }
    }
  }
}

/** Results that only a handler can create, because no message may contain them: created on demand, by name. */
export function longResults(bytes) {
  const texts = Object.entries(paddings).map(([padding, character]) => [
    `text, ${padding}`,
    () => JSON.parse(`"${character}"`).repeat(bytes / Buffer.byteLength(character)),
  ])
  const row = (index) => ({ id: index, name: `row ${index}`, price: index / 7, sold: false })
  return {
    ...Object.fromEntries(texts),
    'rows as text': () => Array.from({ length: 80_000 }, (_, index) => row(index)),
    blocks: () => Array.from({ length: 80_000 }, (_, index) => ({ type: 'text', text: `block ${index}` })),
    rows: () => ({ rows: Array.from({ length: 70_000 }, (_, index) => row(index)) }),
  }
}

function list(length, item) {
  return Array.from({ length }, (_, index) => item(index)).join()
}

function members(length, member) {
  return `{${list(length, member)}}`
}

function nested(levels, open, inner, close) {
  return Array.from({ length: levels }, (_, level) => open(level)).join('') + inner + close.repeat(levels)
}
