import { BootError, type Environment, loadConfig, Type } from '@toolwright/core'

const Config = Type.Object({
  DATABASE_URL: Type.String({ description: 'where the database is', pattern: '^postgres://' }),
  API_KEY: Type.String({ minLength: 32 }),
  POOL_SIZE: Type.Integer({ default: 10, minimum: 1 }),
  VERBOSE: Type.Boolean({ default: false }),
  MODE: Type.Union([Type.Literal('fast'), Type.Literal('safe')], { default: 'safe' }),
  ALLOWED_HOSTS: Type.Optional(Type.Array(Type.String())),
})

const enough = { DATABASE_URL: 'postgres://db/app', API_KEY: 'k'.repeat(32) }

function problemsOf(environment: Environment): readonly string[] {
  try {
    loadConfig(Config, environment)
    return []
  } catch (error) {
    if (!(error instanceof BootError)) throw error
    return error.problems.map(({ code, message }) => `${code}: ${message}`)
  }
}

describe('loadConfig', () => {
  it('converts what is given, and fills in what is not', () => {
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

  it('cannot be changed afterwards', () => {
    expect(Object.isFrozen(loadConfig(Config, enough))).toBe(true)
  })

  it('finds everything that is missing or wrong, and shows no value', () => {
    const wrong = { DATABASE_URL: 'mysql://root:hunter2@db', POOL_SIZE: 'hunter2', VERBOSE: 'hunter2', MODE: 'hunter2' }
    const problems = problemsOf(wrong)
    expect(problems).toEqual([
      'bad-environment: The environment variable API_KEY is not set.',
      'bad-environment: The environment variable DATABASE_URL must match pattern "^postgres://" (where the database is).',
      'bad-environment: The environment variable POOL_SIZE must be integer.',
      'bad-environment: The environment variable VERBOSE must be boolean.',
      'bad-environment: The environment variable MODE must be equal to constant: "fast" or must be equal to constant: "safe".',
    ])
    expect(problems.join()).not.toContain('hunter2')
  })

  it('reads the environment of the process', () => {
    expect(loadConfig(Type.Object({ PATH: Type.String() })).PATH).toBe(process.env['PATH'])
  })
})
