import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { missingArguments, readToolArguments } from '../../src/client/tool-arguments.js'
import { CommandError } from '../../src/command-error.js'
import { runCommand } from '../run-command.js'
import { listOf, RawServer } from '../support/raw-server.js'

const text = { type: 'string' }
const textOrNull = { anyOf: [{ type: 'array', items: text }, { type: 'null' }] }

/** Reads `--x` for a schema of `x`. */
async function read(x: object, ...values: readonly string[]): Promise<unknown> {
  const words = values.flatMap((value) => ['--x', value])
  const result = await readToolArguments(words, { type: 'object', properties: { x }, $defs: definitions })
  return (result as { x: unknown }).x
}

const definitions = {
  Zip: text,
  'a b': text,
  Matrix: { type: 'array', items: { type: 'array', items: { type: 'integer' } } },
}

async function rejection(promise: Promise<unknown>): Promise<string> {
  const error: unknown = await promise.catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(CommandError)
  expect((error as CommandError).exitCode).toBe(64)
  return (error as CommandError).message
}

describe('numbers that JavaScript does not have', () => {
  const integer = { type: 'integer' }
  const number = { type: 'number' }

  it.each([
    [integer, '9007199254740993', '9007199254740992'],
    [integer, '12345678901234567890', '12345678901234567000'],
    [number, '0.12345678901234567890123', '0.12345678901234568'],
    [{ type: 'array', items: integer }, '9007199254740993', '9007199254740992'],
  ])('are rejected for %j: %s', async (schema, value, nearest) => {
    expect(await rejection(read(schema, value))).toBe(
      `--x is '${value}': it cannot be sent exactly: the nearest number is ${nearest}.`,
    )
  })

  it('are rejected if they are too large', async () => {
    expect(await rejection(read(number, '1e400'))).toBe("--x is '1e400': it must be a number.")
  })

  it.each([
    [{}, '9007199254740993'],
    [{}, '[1, 1e400]'],
    [{ type: 'object' }, '{"id":9007199254740993}'],
    [{ type: 'array', items: integer }, '[1,9007199254740993]'],
  ])('are rejected in JSON for %j: %s', async (schema, value) => {
    expect(await rejection(read(schema, value))).toMatch(/it has the number \S+, which cannot be sent exactly\.$/)
  })

  it('are rejected in JSON with all arguments, in a file and as an answer', async () => {
    const given = '{"id":9007199254740993}'
    const folder = mkdtempSync(join(tmpdir(), 'toolwright-numbers-'))
    const file = join(folder, 'arguments.json')
    writeFileSync(file, given)
    const server = await RawServer.start({ 'tools/list': listOf('get'), 'tools/call': () => ({ content: [] }) })
    const results = [
      await runCommand(['call', server.url, 'get', given]),
      await runCommand(['call', server.url, 'get', `@${file}`]),
      await runCommand(['call', server.url, 'get', '-'], { input: given }),
      await runCommand(['call', server.url, 'get', '--answer', given]),
    ]
    await server.close()
    rmSync(folder, { recursive: true })
    for (const { code, stderr } of results) {
      expect(stderr).toContain('the number 9007199254740993, which cannot be sent exactly')
      expect(code).toBe(64)
    }
    expect(server.requests.map(({ method }) => method)).not.toContain('tools/call')
  })

  it.each([
    ['1.50', 1.5],
    ['-0', -0],
    ['+1e3', 1000],
    ['0.1', 0.1],
    ['9007199254740992', 9_007_199_254_740_992],
    ['1e300', 1e300],
    ['.5', 0.5],
  ])('differ from other spellings of a number: %s', async (value, expected) => {
    expect(await read({ type: 'number' }, value)).toBe(expected)
  })

  it('may be strings in JSON', async () => {
    expect(await read({ type: 'object' }, '{"id":"9007199254740993 \\" 1e400"}')).toEqual({
      id: '9007199254740993 " 1e400',
    })
  })
})

describe('null', () => {
  it.each([
    ['an array of strings or null', textOrNull],
    ['an array or null in one type', { type: ['array', 'null'], items: text }],
    ['an array of integers or null', { anyOf: [{ type: 'array', items: { type: 'integer' } }, { type: 'null' }] }],
    ['any value', {}],
  ])('is sent as null for %s', async (_type, schema) => {
    expect(await read(schema, 'null')).toBeNull()
  })

  it('has no effect on the items of the array beside it', async () => {
    const schema = { anyOf: [{ type: 'array', items: { type: 'integer' } }, { type: 'null' }] }
    expect(await read(schema, '1', '2')).toEqual([1, 2])
    expect(await read(textOrNull, '1')).toEqual(['1'])
  })
})

describe('texts of digits', () => {
  const either = { anyOf: [text, { type: 'integer' }] }

  it.each(['00123', '+49301234567', '1e5', '1.0', '9007199254740993', '-0'])(
    'stay texts if strings are accepted too: %s',
    async (value) => {
      expect(await read(either, value)).toBe(value)
      expect(await read({ type: ['string', 'number'] }, value)).toBe(value)
      expect(await read({ anyOf: [text, { type: 'array', items: text }, { type: 'object' }] }, value)).toEqual([value])
    },
  )

  it('are numbers if they are written as JSON writes them', async () => {
    expect(await read(either, '123')).toBe(123)
  })

  it.each([
    ['allOf', { allOf: [{ $ref: '#/$defs/Zip' }] }],
    ['allOf beside a description', { description: 'Zip', allOf: [{ $ref: '#/$defs/Zip' }] }],
    ['a reference with an escaped name', { $ref: '#/$defs/a%20b' }],
    ['nested references', { allOf: [{ allOf: [{ $ref: '#/$defs/Zip' }] }, { minLength: 1 }] }],
  ])('are texts for a string behind %s', async (_kind, schema) => {
    expect(await read(schema, '12345')).toBe('12345')
  })
})

describe('arrays of arrays', () => {
  const matrix = { $ref: '#/$defs/Matrix' }

  it.each([
    [matrix, ['[1,2]', '[3]'], [[1, 2], [3]]],
    [matrix, ['[[1,2],[3]]'], [[1, 2], [3]]],
    [matrix, ['[[1]]', '[2]'], [[1], [2]]],
    [matrix, ['[]'], []],
    [{ type: 'array', items: { type: 'array', items: text } }, ['["a"]'], [['a']]],
    [{ type: 'array', items: text }, ['["a","b"]', 'c'], ['a', 'b', 'c']],
  ])('are read for %j from %j', async (schema, values, expected) => {
    expect(await read(schema, ...values)).toEqual(expected)
  })

  it('of objects take no names', async () => {
    const objects = { type: 'array', items: { type: 'object', properties: { a: { type: 'integer' } } } }
    const schema = { type: 'object', properties: { objs: objects } }
    expect(await rejection(readToolArguments(['--objs.a', '1'], schema))).toMatch(/^Unknown argument --objs\.a\./)
  })
})

describe('a schema whose arguments are not at its root', () => {
  const name = { type: 'object', properties: { name: { ...text, description: 'Name of it' } }, required: ['name'] }
  const $defs = { Input: name }

  it.each([
    ['$ref', { $ref: '#/$defs/Input', $defs }],
    ['allOf', { type: 'object', allOf: [{ $ref: '#/$defs/Input' }], $defs }],
    ['anyOf', { anyOf: [name, { properties: { name: text, id: { type: 'integer' } }, required: ['name', 'id'] }] }],
    ['oneOf', { oneOf: [{ $ref: '#/$defs/Input' }], $defs }],
  ])('has typed and required arguments: %s', async (_kind, schema) => {
    expect(await readToolArguments(['--name', '5'], schema)).toEqual({ name: '5' })
    expect(missingArguments({}, schema)).toEqual([['name', 'string  Name of it']])
    expect(await rejection(readToolArguments(['--nam', '5'], schema))).toContain('Did you mean --name?')
  })

  it('is listed with its arguments', async () => {
    const server = await RawServer.start({ 'tools/list': listOf('get', { type: 'object', allOf: [name] }) })
    const { stdout } = await runCommand(['list', server.url])
    await server.close()
    expect(stdout).toMatch(/^ {2}get +name/m)
  })
})

test('a file with a byte order mark is read', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'toolwright-mark-'))
  const file = join(folder, 'arguments.json')
  writeFileSync(file, '\uFEFF{"x":1}')
  const values = await readToolArguments([`@${file}`], { type: 'object' })
  rmSync(folder, { recursive: true })
  expect(values).toEqual({ x: 1 })
})
