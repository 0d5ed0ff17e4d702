import { BootError, Type } from '@toolwright/core'
import { type Environment, loadConfig } from '@toolwright/server'

const Config = Type.Object({
  DATABASE_URL: Type.String({ description: 'where the database is', pattern: '^postgres://' }),
  API_KEY: Type.String({ minLength: 32 }),
  POOL_SIZE: Type.Integer({ default: 10, minimum: 1 }),
  VERBOSE: Type.Boolean({ default: false }),
  MODE: Type.Union([Type.Literal('fast'), Type.Literal('safe')], { default: 'safe' }),
  ALLOWED_HOSTS: Type.Optional(Type.Array(Type.String())),
})

const enough = { DATABASE_URL: 'postgres://db/app', API_KEY: 'k'.repeat(32) }

function diagnosticsOf(environment: Environment): readonly string[] {
  try {
    loadConfig(Config, environment)
    return []
  } catch (error) {
    if (!(error instanceof BootError)) throw error
    return error.diagnostics.map(({ code, message }) => `${code}: ${message}`)
  }
}

describe('loadConfig', () => {
  it('converts set variables, and fills in defaults', () => {
    const given = {
      ...enough,
      POOL_SIZE: '25',
      VERBOSE: 'true',
      ALLOWED_HOSTS: 'a.example.com, b.example.com',
      HOME: '/',
    }
    expect(loadConfig(Config, given)).toEqual({
      ...enough,
      POOL_SIZE: 25,
      VERBOSE: true,
      MODE: 'safe',
      ALLOWED_HOSTS: ['a.example.com', 'b.example.com'],
    })
    expect(loadConfig(Config, { ...enough, POOL_SIZE: '' })).toEqual({
      ...enough,
      POOL_SIZE: 10,
      VERBOSE: false,
      MODE: 'safe',
    })
  })

  it.each(['2.5', 'true', '1n', ' '])('rejects %p as a whole number', (POOL_SIZE) => {
    expect(diagnosticsOf({ ...enough, POOL_SIZE })).toEqual([
      'bad-environment: The environment variable POOL_SIZE must be an integer.',
    ])
  })

  it('ignores an extra comma, and accepts an empty list', () => {
    const hostsFor = (text: string) => loadConfig(Config, { ...enough, ALLOWED_HOSTS: text }).ALLOWED_HOSTS

    expect(hostsFor('a.example.com,, b.example.com , ')).toEqual(['a.example.com', 'b.example.com'])
    expect(hostsFor(' , ')).toBeUndefined()
  })

  it('returns a frozen object', () => {
    expect(Object.isFrozen(loadConfig(Config, enough))).toBe(true)
  })

  it('reports every missing or invalid variable, without its value', () => {
    const wrong = { DATABASE_URL: 'mysql://root:hunter2@db', POOL_SIZE: 'hunter2', VERBOSE: 'hunter2', MODE: 'hunter2' }
    const diagnostics = diagnosticsOf(wrong)
    expect(diagnostics).toEqual([
      'bad-environment: The environment variable API_KEY is not set.',
      'bad-environment: The environment variable DATABASE_URL must match the pattern "^postgres://" (where the database is).',
      'bad-environment: The environment variable POOL_SIZE must be an integer.',
      'bad-environment: The environment variable VERBOSE must be true or false, or 1 or 0.',
      'bad-environment: The environment variable MODE must be one of "fast", "safe".',
    ])
    expect(diagnostics.join()).not.toContain('hunter2')
  })

  it('reports all of many errors, including those beside a very long value', () => {
    const names = Array.from({ length: 12 }, (_, index) => `LEVEL_${index}`)
    const levels = names.map((name) => [name, Type.Union([Type.Literal('on'), Type.Literal('off')])] as const)
    const schema = Type.Object({
      KEY: Type.String({ maxLength: 10 }),
      ...Object.fromEntries(levels),
      LAST: Type.String(),
    })
    const wrong = { KEY: 'x'.repeat(2_000_000), ...Object.fromEntries(names.map((name) => [name, 'x'])) }

    expect(() => loadConfig(schema, wrong)).toThrow(
      [
        'The server cannot start: 14 problems found.',
        '  1. The environment variable LAST is not set. [bad-environment]',
        '  2. The environment variable KEY must be at most 10 characters long. [bad-environment]',
        ...names.map(
          (name, at) => `  ${at + 3}. The environment variable ${name} must be one of "on", "off". [bad-environment]`,
        ),
      ].join('\n'),
    )
  })

  it('does not report a set variable as missing, for a rule about several variables', () => {
    const properties = { TOKEN: Type.Optional(Type.String()), KEY: Type.Optional(Type.String()), PORT: Type.Integer() }
    const OneOfTwo = Type.Object(properties, { anyOf: [{ required: ['TOKEN'] }, { required: ['KEY'] }] })
    const load = (environment: Environment) => () => loadConfig(OneOfTwo, environment)

    expect(load({ TOKEN: 't', PORT: 'x' })).toThrow(
      '1 problem found.\n  1. The environment variable PORT must be an integer',
    )
    expect(load({ PORT: '1' })).toThrow('TOKEN is not set')
    expect(load({ TOKEN: 't', PORT: '1' })()).toEqual({ TOKEN: 't', PORT: 1 })
  })

  it('reports a violated rule about several variables', () => {
    const properties = { USER: Type.Optional(Type.String()), PASSWORD: Type.Optional(Type.String()) }
    const schema = Type.Object(properties, { dependentRequired: { USER: ['PASSWORD'] } })
    expect(() => loadConfig(schema, { USER: 'ada' })).toThrow(BootError)
    expect(() => loadConfig(schema, { USER: 'ada' })).toThrow(
      "The environment is missing required property 'PASSWORD'. [bad-environment]",
    )
  })

  it('reports an invalid item of a list, and rejects objects in the schema', () => {
    const schema = Type.Object({
      PORTS: Type.Array(Type.Integer()),
      POOL: Type.Object({ size: Type.Integer() }),
      LEVEL: Type.Union([Type.Literal('off'), Type.Integer()]),
      MODES: Type.Array(Type.Union([Type.Literal('fast'), Type.Literal('safe')])),
    })
    expect(() => loadConfig(schema, { PORTS: '1,b,c', POOL: '{}', LEVEL: 'on', MODES: 'a,b' })).toThrow(
      '  1. The environment variable PORTS has an item that must be an integer. [bad-environment]\n' +
        '  2. The environment variable POOL is a string, but the schema expects an object: ' +
        'use a separate variable for each part. [bad-environment]\n' +
        '  3. The environment variable LEVEL must be "off" or must be an integer. [bad-environment]\n' +
        '  4. The environment variable MODES has an item that must be one of "fast", "safe". [bad-environment]',
    )
  })

  it.each([
    [{ PORT: 'number' }, 'a plain object'],
    [undefined, 'undefined'],
  ])('requires a schema, not %p', (schema, found) => {
    expect(() => loadConfig(schema as never, { PORT: '1' })).toThrow(
      `loadConfig: the schema is ${found}. Give Type.Object({ … }), with a property for each variable. [bad-schema]`,
    )
  })

  it('reads process.env by default', () => {
    expect(loadConfig(Type.Object({ PATH: Type.String() })).PATH).toBe(process.env['PATH'])
  })
})
