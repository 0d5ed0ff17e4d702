import { ProtocolError } from '@toolwright/core'
import { parseJson } from '@toolwright/core/transport'

const bounds = { maxDepth: 4, maxKeys: 3, maxItems: 6 }
const unbounded = { maxDepth: Infinity, maxKeys: Infinity, maxItems: Infinity }

function parse(text: string, { maxDepth = 4, maxKeys = Infinity, maxItems = Infinity } = {}): unknown {
  return parseJson(Buffer.from(text), { maxDepth, maxKeys, maxItems })
}

const tooDeep = new ProtocolError('invalidRequest', 'Invalid Request: JSON nested deeper than 4 levels')

it.each([
  ['few levels', '{"a":[1]}'],
  ['as many levels as are allowed', '{"a":[{"b":[1]}]}'],
  ['many brackets side by side', '[[],[],[],{},{},[[]],{"a":[{}]}]'],
  ['brackets in strings', '{"a":"[[[[[{{{{{","[{[{[{":["[[["]}'],
  ['brackets behind an escaped quote', '{"a":"\\"[[[[[","b":"\\\\","c":[["]]"]]}'],
])('parseJson parses %s', (_what, text) => {
  expect(parse(text)).toStrictEqual(JSON.parse(text))
})

it.each([
  ['arrays', '[[[[[1]]]]]'],
  ['objects', '{"a":{"a":{"a":{"a":{}}}}}'],
  ['arrays and objects in turn', '[{"a":[{"b":[]}]}]'],
  ['levels that begin after many brackets', '[[],[],[],[],[[[[]]]]]'],
  ['levels after a string with an escape', '["\\\\",[[[[]]]]]'],
  ['unclosed brackets', '['.repeat(200_000)],
])('parseJson rejects %s nested too deep', (_what, text) => {
  expect(() => parse(text)).toThrow(tooDeep)
})

const tooManyKeys = new ProtocolError(
  'invalidRequest',
  'Invalid Request: the objects of a message together must have at most 3 keys',
)
const tooManyItems = new ProtocolError(
  'invalidRequest',
  'Invalid Request: the arrays of a message together must have at most 6 items',
)

it.each([
  ['as many keys', '{"a":1,"b":2,"c":3}'],
  ['as many keys in several objects', '[{"a":{}},{"b":1},{"c":[]}]'],
  ['as many items', '[1,2,3,4,5,6]'],
  ['as many items in several arrays', '[[],[],[[1,2]]]'],
  ['as many of both', '{"a":[1,[2,3]],"b":{"c":["x",true]}}'],
  ['as many of both, with blanks', ' [ [\n] , [\t] , { } , { "a" : [ 1\r , 2 ] , "b" : { } , "c" : null } ] '],
  ['strings with as many commas and colons', '{"a:b,c:d,e:":"[1,2,3,4,5,6,7,8]","f":"\\":,:,:,:,:,[,,,,,,,"}'],
  ['a string as long', `["${'a:b,c:d,e:f,[],'.repeat(100)}"]`],
])('parseJson parses %s as are allowed', (_what, text) => {
  expect(parse(text, bounds)).toStrictEqual(JSON.parse(text))
})

it.each([
  ['keys', '{"a":1,"b":2,"c":3,"d":4}', tooManyKeys],
  ['duplicate keys', '{"":0,"":0,"":0,"":0}', tooManyKeys],
  ['keys in several objects', '[{"a":1},{"b":1},{"c":{"d":1}}]', tooManyKeys],
  ['keys behind an escaped quote', '{"a\\"":1,"b\\\\":2,"c":3,"d":4}', tooManyKeys],
  ['items', '[1,2,3,4,5,6,7]', tooManyItems],
  ['items in several arrays', '[[1,2],[3,4],5]', tooManyItems],
  ['empty items', '[[],{},[],{},"",[],[]]', tooManyItems],
  ['items with blanks', '[ [ ] , { } , [\n] , {\t} , "" , [\r] , 1 ]', tooManyItems],
  ['items beside keys', '{"a":1,"b":[1,2,3,4,5,6,7],"c":{}}', tooManyItems],
  ['unterminated keys', '{"a":'.repeat(4), tooManyKeys],
])('parseJson rejects too many %s', (_what, text, error) => {
  expect(() => parse(text, bounds)).toThrow(error)
})

/** Any value of limited depth, with its number of keys and items. */
function randomValue(random: () => number, levels: number): { value: unknown; keys: number; items: number } {
  const kind = Math.floor(random() * (levels > 0 ? 6 : 4))
  if (kind < 4) return { value: [1, 'a:,[]{}"\\', null, ''][kind], keys: 0, items: 0 }
  const parts = Array.from({ length: Math.floor(random() * 4) }, () => randomValue(random, levels - 1))
  const keys = parts.reduce((sum, part) => sum + part.keys, kind === 4 ? parts.length : 0)
  const items = parts.reduce((sum, part) => sum + part.items, kind === 4 ? 0 : parts.length)
  const values = parts.map(({ value }) => value)
  return { value: kind === 4 ? Object.fromEntries(values.map((value, at) => [`"${at},`, value])) : values, keys, items }
}

/** The result for a JSON text: its value, or the limit that it exceeds. */
function outcome(text: string, maxKeys: number, maxItems: number): unknown {
  try {
    return parse(text, { maxDepth: Infinity, maxKeys, maxItems })
  } catch (error) {
    return /keys|items/.exec((error as Error).message)?.[0]
  }
}

it('parseJson counts keys and items exactly, for random values', () => {
  const random = seeded(7)
  const counted = Array.from({ length: 2000 }, () => randomValue(random, 5))
  const outcomes = counted.map(({ value, keys, items }, round) => {
    const text = JSON.stringify([value], undefined, round % 3)
    return [outcome(text, keys, items + 1), outcome(text, keys - 1, items + 1), outcome(text, keys, items)]
  })

  expect(outcomes).toStrictEqual(counted.map(({ value }) => [[value], 'keys', 'items']))
})

/** Reproducible pseudo-random numbers from 0 to 1. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

it('parseJson parses a replacement character that the client sent', () => {
  expect(parse('"\uFFFD"')).toBe('\uFFFD')
})

it.each(['é', '世', '\u{1f600}', '\uFFFD', '\uFEFF', 'x\u0000é'])(
  'parseJson parses long strings of %j like short ones',
  (character) => {
    const text = character.repeat(50_000)
    expect(parse(JSON.stringify([text]))).toStrictEqual([text])
  },
)

it.each([
  ['an invalid first byte', [0x22, 0x80, 0x22]],
  ['a truncated character', [0x22, 0xf0, 0x9f, 0x98, 0x22]],
  ['an unpaired surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
  ['an overlong encoding', [0x22, 0xc0, 0xa2, 0x22]],
])('parseJson rejects bytes that are not UTF-8: %s', (_what, bytes) => {
  const error = new ProtocolError('parseError', 'Parse error: the message is not valid UTF-8')

  expect(() => parseJson(Buffer.from(bytes), bounds)).toThrow(error)
  const long = Buffer.concat([Buffer.from(`["${'é'.repeat(50_000)}",`), Buffer.from(bytes), Buffer.from(']')])
  expect(() => parseJson(long, unbounded)).toThrow(error)
})
