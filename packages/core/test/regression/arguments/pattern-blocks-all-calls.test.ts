// Patterns with exponential backtracking, such as ^([a-z]+)+$: while one of them runs, all calls wait.
import { type McpServer, Type } from '@toolwright/core'
import { createServer } from '@toolwright/server'
import { pino } from 'pino'

const slow = '^([a-z]+)+$'

async function boot(onReady: (server: McpServer) => void) {
  const lines: { readonly schemas?: readonly string[] }[] = []
  const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const server = await createServer({ name: 'patterns', version: '1.0.0', controllers: [], logger, onReady })
  const report = server.explain()
  await server.close()
  return { logged: lines.flatMap(({ schemas = [] }) => schemas), report }
}

function bootTool(options: object) {
  return boot(({ catalog }) => {
    catalog.addTool({ name: 'check', description: 'Checks a name', handler: () => ({ name: 'ada' }), ...options })
  })
}

const word = Type.String({ pattern: slow })

describe('a pattern with exponential backtracking', () => {
  it.each<[string, object, string]>([
    ['of a member', { input: Type.Object({ name: word }) }, "the input of tool 'check', member 'name'"],
    [
      'as a RegExp',
      { input: Type.Object({ name: Type.String({ pattern: new RegExp(slow) }) }) },
      "the input of tool 'check', member 'name'",
    ],
    [
      'of a list in an object',
      { input: Type.Object({ user: Type.Object({ tags: Type.Array(Type.Union([Type.Null(), word])) }) }) },
      "the input of tool 'check', member 'user.tags'",
    ],
    ['of an output', { output: Type.Object({ name: word }) }, "the output of tool 'check', member 'name'"],
    [
      'of the names of members',
      {
        inputSchema: { type: 'object', properties: { labels: { type: 'object', patternProperties: { [slow]: {} } } } },
      },
      "the input of tool 'check', member 'labels'",
    ],
    [
      'in a definition',
      {
        inputSchema: {
          type: 'object',
          properties: { name: { $ref: '#/$defs/Word' } },
          $defs: { Word: { type: 'string', pattern: slow } },
        },
      },
      "the input of tool 'check', member 'Word'",
    ],
  ])('%s is named in the report', async (_where, options, owner) => {
    const { report } = await bootTool(options)

    expect(report.slowSchemas).toEqual([
      expect.stringContaining(`${owner}: the pattern '${slow}' takes exponentially long`),
    ])
    expect(String(report)).toContain(`\nSlow schemas:\n  ${report.slowSchemas[0]}`)
  })

  it('is not searched for when a server starts, because the search takes longer than the start', async () => {
    const { logged } = await bootTool({ input: Type.Object({ name: word }) })

    expect(logged).toEqual([])
  })

  it('of a prompt and of a resource template is named, too', async () => {
    const input = Type.Object({ name: word })
    const { report } = await boot(({ catalog }) => {
      catalog.addPrompt({ name: 'greet', description: 'Greets', input, handler: () => 'hello' })
      catalog.addResource({ uri: 'people://{name}', name: 'people', input, handler: () => 'ada' })
    })

    expect(report.slowSchemas).toEqual([
      expect.stringContaining("the arguments of prompt 'greet', member 'name'"),
      expect.stringContaining("the variables of resource template 'people://{name}', member 'name'"),
    ])
  })

  it.each(['^(a|a)*$', '^(a|aa)+$', String.raw`^(\w+\s?)*$`, '(x+x+)+y', '^(?=(a+)+$)b', '^(.{1,100} ){1,100}$'])(
    'is found in %s',
    async (pattern) => {
      const { report } = await bootTool({ input: Type.Object({ name: Type.String({ pattern }) }) })
      expect(report.slowSchemas).toEqual([expect.stringContaining(pattern)])
    },
  )
})

it.each(['^[a-z]+(-[a-z]+)*$', String.raw`^(\d{1,3}\.){3}\d{1,3}$`, '^([a-z0-9]{4})*$', '^[a-z ]*$'])(
  'a pattern that is fast for all strings is not reported: %s',
  async (pattern) => {
    const { logged, report } = await bootTool({ input: Type.Object({ name: Type.String({ pattern }) }) })

    expect([logged, report.slowSchemas]).toEqual([[], []])
    expect(String(report)).not.toContain('Slow schemas')
  },
)
