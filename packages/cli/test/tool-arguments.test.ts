import { missingArguments, readToolArguments } from '../src/client/tool-arguments.js'
import { CommandError } from '../src/command-error.js'

const schema = {
  type: 'object',
  required: ['city'],
  properties: {
    city: { type: 'string', description: 'Name of the city' },
    days: { type: 'integer' },
    maxPrice: { type: 'number' },
    is_open: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
    levels: { type: 'array', items: { type: 'integer' } },
    units: { anyOf: [{ const: 'metric' }, { const: 'imperial' }] },
    owner: { $ref: '#/$defs/Person' },
    limit: { type: ['integer', 'null'] },
    code: { type: ['string', 'number'] },
    extra: {},
  },
  $defs: { Person: { type: 'object', properties: { firstName: { type: 'string' }, age: { type: 'integer' } } } },
}

const read = (...words: readonly string[]): Promise<object> => readToolArguments(words, schema)

it.each([
  [['--city', 'Lisbon', '--days', '2'], { city: 'Lisbon', days: 2 }],
  [['--city=', '--days=-2'], { city: '', days: -2 }],
  [['--city', '42'], { city: '42' }],
  [['--max-price', '1e3', '--max_price', '2.5'], { maxPrice: 2.5 }],
  [['--is-open', '--city', 'x'], { is_open: true, city: 'x' }],
  [['--isOpen', 'false'], { is_open: false }],
  [['--no-is-open'], { is_open: false }],
  [['--tags', 'a', '--tags', 'b,c'], { tags: ['a', 'b,c'] }],
  [['--tags', '["a","b"]', '--tags', 'c'], { tags: ['a', 'b', 'c'] }],
  [['--levels', '1', '--levels', '2'], { levels: [1, 2] }],
  [['--units', 'metric'], { units: 'metric' }],
  [['--owner', '{"age":3}', '--owner.first-name', 'Ann'], { owner: { age: 3, firstName: 'Ann' } }],
  [['--limit', 'null'], { limit: null }],
  [['--code', '7'], { code: 7 }],
  [['--code', 'x7'], { code: 'x7' }],
  [['--extra', '[1]'], { extra: [1] }],
  [['--extra', 'text'], { extra: 'text' }],
  [['{"city":"Lisbon","days":1}', '--days', '3'], { city: 'Lisbon', days: 3 }],
])('reads %j', async (words, expected) => {
  expect(await read(...words)).toEqual(expected)
})

it.each([
  [['--days', 'two'], "--days is 'two': it must be a whole number."],
  [['--days', '1.5'], "--days is '1.5': it must be a whole number."],
  [['--units', 'si'], `--units is 'si': it must be one of "metric", "imperial".`],
  [['--owner', 'Ann'], "--owner is 'Ann': it must be a JSON object."],
  [['--levels', 'one'], "--levels is 'one': it must be a whole number."],
  [['--citty', 'x'], 'Unknown argument --citty. Did you mean --city?'],
  [['--city'], '--city needs a value.'],
  [['--city', '--days', '1'], '--city needs a value.'],
  [['Lisbon'], "Unexpected argument 'Lisbon'. Give arguments as flags (--name Lisbon), or as JSON."],
  [['{"city":'], expect.stringMatching(/^The arguments: .*JSON/)],
])('rejects %j', async (words, message) => {
  const error: unknown = await read(...words).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(CommandError)
  expect(error).toMatchObject({ message, exitCode: 64 })
})

it('accepts arguments of any name if the schema lists no properties', async () => {
  expect(await readToolArguments(['--a', '1', '--b', 'x'], { type: 'object' })).toEqual({ a: 1, b: 'x' })
})

it('defines an argument named __proto__ as an own property', async () => {
  const hostile = { type: 'object', properties: JSON.parse('{"__proto__":{"type":"object"}}') as object }
  const values = await readToolArguments(['--__proto__', '{"polluted":true}'], hostile)
  expect(Object.keys(values)).toEqual(['__proto__'])
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
})

it('describes each missing argument', () => {
  expect(missingArguments({}, schema)).toEqual([['city', 'string  Name of the city']])
  expect(missingArguments({ city: 'Lisbon' }, schema)).toEqual([])
})
