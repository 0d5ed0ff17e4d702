import { ProtocolError, parseJson } from '@toolwright/core/internal'

const maxDepth = 4

function parse(text: string): unknown {
  return parseJson(Buffer.from(text), maxDepth)
}

const tooDeep = new ProtocolError('invalidRequest', 'Invalid Request: JSON nested deeper than 4 levels')

it.each([
  ['few levels', '{"a":[1]}'],
  ['as many levels as are allowed', '{"a":[{"b":[1]}]}'],
  ['many brackets side by side', '[[],[],[],{},{},[[]],{"a":[{}]}]'],
  ['brackets in strings', '{"a":"[[[[[{{{{{","[{[{[{":["[[["]}'],
  ['brackets behind an escaped quote', '{"a":"\\"[[[[[","b":"\\\\","c":[["]]"]]}'],
])('reads %s', (_what, text) => {
  expect(parse(text)).toStrictEqual(JSON.parse(text))
})

it.each([
  ['arrays', '[[[[[1]]]]]'],
  ['objects', '{"a":{"a":{"a":{"a":{}}}}}'],
  ['arrays and objects in turn', '[{"a":[{"b":[]}]}]'],
  ['levels that begin after many brackets', '[[],[],[],[],[[[[]]]]]'],
  ['levels that begin after a string with an escape', '["\\\\",[[[[]]]]]'],
  ['brackets that nobody closes', '['.repeat(200_000)],
])('refuses %s nested too deep', (_what, text) => {
  expect(() => parse(text)).toThrow(tooDeep)
})

it('reads a replacement character that the client sent', () => {
  expect(parse('"\uFFFD"')).toBe('\uFFFD')
})

it.each([
  ['a byte that begins nothing', [0x22, 0x80, 0x22]],
  ['a character that is cut short', [0x22, 0xf0, 0x9f, 0x98, 0x22]],
  ['half of a pair', [0x22, 0xed, 0xa0, 0x80, 0x22]],
  ['a character that is too long by a byte', [0x22, 0xc0, 0xa2, 0x22]],
])('refuses bytes that are not UTF-8: %s', (_what, bytes) => {
  const error = new ProtocolError('parseError', 'Parse error: the message is not valid UTF-8')

  expect(() => parseJson(Buffer.from(bytes), maxDepth)).toThrow(error)
})
