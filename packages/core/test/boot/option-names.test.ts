import { type JsonObject, McpCompletion, McpController, McpPrompt, McpResource, McpTool, Type } from '@toolwright/core'
import { createServer, type ServerOptions } from '@toolwright/server'
import { pino } from 'pino'
import { findDiagnostics, findMistakes } from './find-problems.js'

// The compiler finds these mistakes; runners that do not check types do not.

test('unknown options of decorators are reported with the nearest valid name', async () => {
  const misspelt = { descripton: 'Adds', inputs: {}, timeoutMS: 5, title: 'Add', output: undefined } as object

  @McpController({ prefx: 'a_' } as object)
  class Tools {
    @McpTool({ ...misspelt, inputSchem: {}, output: 5 } as object)
    add(): void {}

    @McpPrompt('greet', { arguments: [] } as object)
    greet(): string {
      return 'Hello'
    }

    @McpResource('notes://all', { mimetype: 'text/plain', ui: undefined } as object)
    all(): string {
      return ''
    }

    @McpCompletion({ prompt: 'greet', argument: 'name', arg: 'name' } as never)
    names(): string[] {
      return []
    }
  }

  expect(await findMistakes(Tools)).toEqual([
    "bad-option: Tools: @McpController has no option 'prefx'. Did you mean prefix?",
    "bad-option: Tools.add: @McpTool has no option 'descripton'. Did you mean description?",
    "bad-option: Tools.add: @McpTool has no option 'inputs'. Did you mean input?",
    "bad-option: Tools.add: @McpTool has no option 'timeoutMS'. Did you mean timeoutMs?",
    "bad-option: Tools.add: @McpTool has no option 'inputSchem'. Did you mean inputSchema?",
    'bad-schema: Tools.add: the output schema is 5. ' +
      'Give a TypeBox schema, a Model class or a Standard Schema, or plain JSON Schema as outputSchema.',
    "bad-option: Tools.greet: @McpPrompt has no option 'arguments'. " +
      'Give one of _meta, description, enabled, icons, input, name, tags, title, transports.',
    "bad-option: Tools.all: @McpResource has no option 'mimetype'. Did you mean mimeType?",
    "bad-option: Tools.names: @McpCompletion has no option 'arg'. Did you mean argument?",
    "unknown-completion-target: Tools.names: it completes 'name', but prompt 'greet' has no arguments. Correct the name.",
  ])
})

test('an option that belongs in another decorator is reported with that decorator', async () => {
  @McpController({ roles: ['Admin'] } as object)
  class Tools {
    @McpTool({ requiredScopes: ['tools:write'], hooks: [] } as object)
    add(): void {}

    @McpPrompt('greet', { allowAnonymous: true } as object)
    greet(): string {
      return 'Hello'
    }
  }

  expect(await findMistakes(Tools)).toEqual([
    "bad-option: Tools: @McpController has no option 'roles'. Use the separate decorator @Authorize({ … }).",
    "bad-option: Tools.add: @McpTool has no option 'requiredScopes'. Use the separate decorator @Authorize({ … }).",
    "bad-option: Tools.add: @McpTool has no option 'hooks'. Use the separate decorator @UseHooks(…).",
    "bad-option: Tools.greet: @McpPrompt has no option 'allowAnonymous'. Use the separate decorator @AllowAnonymous().",
  ])
})

test('a prefix that is not a string is reported', async () => {
  @McpController({ prefix: 5 as never })
  class Tools {
    @McpTool()
    add(): void {}
  }

  expect(await findMistakes(Tools)).toEqual(["bad-option: Tools: prefix is 5. Give a string, such as 'calc_'."])
})

test('unknown annotations are reported, because clients would ignore them', async () => {
  class Tools {
    @McpTool({ annotations: { readonly: true, destructive: true, idempotenthint: true, cost: 5 } as object })
    remove(): void {}

    @McpTool({ annotations: { readOnlyHint: 'yes', title: 5 } as object })
    read(): void {}

    @McpResource('notes://all', { annotations: { audiance: ['user'], priority: 2, audience: ['users'] } as object })
    all(): string {
      return ''
    }
  }

  expect(await findMistakes(Tools)).toEqual([
    'bad-option: Tools.remove: annotations.readonly is not an option. Did you mean readOnlyHint?',
    'bad-option: Tools.remove: annotations.destructive is not an option. Did you mean destructiveHint?',
    'bad-option: Tools.remove: annotations.idempotenthint is not an option. Did you mean idempotentHint?',
    'bad-option: Tools.remove: annotations.cost is not an option. ' +
      'Give one of destructiveHint, idempotentHint, openWorldHint, readOnlyHint, title, or put your own members into _meta.',
    "bad-option: Tools.read: 'annotations/title' must be a string, got a number; 'annotations/readOnlyHint' must be " +
      'a boolean, got a string. Correct the options of its decorator.',
    'bad-option: Tools.all: annotations.audiance is not an option. Did you mean audience?',
    'bad-option: Tools.all: \'annotations/audience/0\' must be one of "user", "assistant"; ' +
      "'annotations/priority' must be at most 1. Correct the options of its decorator.",
  ])
})

test('a date without time and zone as lastModified is reported, because clients reject the whole list', async () => {
  class Files {
    @McpResource('files://day', { annotations: { lastModified: '2026-01-31' } })
    day(): string {
      return ''
    }

    @McpResource('files://{zone}', { annotations: { lastModified: '2026-01-31T09:00:00' } })
    zone(): string {
      return ''
    }

    @McpResource('files://minute', { annotations: { lastModified: '2026-01-31T09:00Z' } })
    minute(): string {
      return ''
    }

    @McpResource('files://whole', { annotations: { lastModified: '2026-01-31T09:00:00Z' } })
    whole(): string {
      return ''
    }
  }

  const advice =
    'Give a date with seconds and a time zone, such as the result of toISOString(). Otherwise, clients reject the whole list.'
  expect(await findMistakes(Files)).toEqual([
    `bad-option: Files.day: annotations.lastModified is the string '2026-01-31'. ${advice}`,
    `bad-option: Files.zone: annotations.lastModified is the string '2026-01-31T09:00:00'. ${advice}`,
    `bad-option: Files.minute: annotations.lastModified is the string '2026-01-31T09:00Z'. ${advice}`,
  ])
})

test('the listed properties of a prompt are checked', async () => {
  class Letters {
    @McpPrompt({ title: 5 as never })
    write(): string {
      return ''
    }
  }

  expect(await findMistakes(Letters)).toEqual([
    "bad-option: Letters.write: 'title' must be a string, got a number. Correct the options of its decorator.",
  ])
})

test('sizes of resources must be whole numbers of bytes', async () => {
  class Files {
    @McpResource('files://half', { size: 1.5 })
    half(): string {
      return ''
    }

    @McpResource('files://owing', { size: -1 })
    owing(): string {
      return ''
    }
  }

  expect(await findMistakes(Files)).toEqual([
    "bad-option: Files.half: 'size' must be an integer, got a number. Correct the options of its decorator.",
    "bad-option: Files.owing: 'size' must be at least 0. Correct the options of its decorator.",
  ])
})

test('unknown properties of icons and rate limits are reported, also in server options', async () => {
  const src = 'https://example.com/a.svg'

  class Tools {
    @McpTool({ icons: [{ src }, { src, mimetype: 'image/svg+xml' } as never] })
    add(): void {}

    @McpTool({ icons: [{ src, sizes: '48x48', theme: 'night' } as never] })
    remove(): void {}

    @McpTool({ rateLimit: { calls: 5, windowMs: 1000, pre: 'tool' } as never })
    find(): void {}
  }

  expect(
    await findDiagnostics({
      controllers: [Tools],
      icons: [{ src, size: ['any'] } as never],
      rateLimit: { calls: 5, windowMs: 1000, per: 'caller' } as never,
    }),
  ).toEqual([
    'bad-option: icons[0].size is not an option. Did you mean sizes?',
    'bad-option: rateLimit.per is not an option. Give one of calls, windowMs.',
    'bad-option: Tools.add: icons[1].mimetype is not an option. Did you mean mimeType?',
    "bad-option: Tools.remove: 'icons/0/sizes' must be an array, got a string; 'icons/0/theme' must be one of " +
      '"light", "dark". Correct the options of its decorator.',
    'bad-option: Tools.find: rateLimit.pre is not an option. Give one of calls, per, windowMs.',
  ])
})

test('icons and addresses that clients cannot show are reported', async () => {
  class Tools {
    @McpTool({ icons: [{ src: '/add.svg' }, { src: 'data:image/png;base64,AAAA' }, { src: 'file:///add.svg' }] })
    add(): void {}

    @McpPrompt({ icons: [{ src: 'http://127.0.0.1:3000/ask.svg' }, { src: 'javascript:alert(1)' }] })
    ask(): string {
      return 'text'
    }

    @McpResource('notes://all', { icons: [{ src: '' }] })
    all(): string {
      return 'text'
    }
  }

  const advice = 'Give an https: or data: URI: clients show no other icons.'
  expect(
    await findDiagnostics({ controllers: [Tools], icons: [{ src: 'server.svg' }], websiteUrl: 'www.example.com' }),
  ).toEqual([
    `bad-option: icons[0].src is the string 'server.svg'. ${advice}`,
    "bad-option: websiteUrl is the string 'www.example.com'. Give a URL with https://.",
    `bad-option: Tools.add: icons[0].src is the string '/add.svg'. ${advice}`,
    `bad-option: Tools.add: icons[2].src is the string 'file:///add.svg'. ${advice}`,
    `bad-option: Tools.ask: icons[1].src is the string 'javascript:alert(1)'. ${advice}`,
    `bad-option: Tools.all: icons[0].src is the string ''. ${advice}`,
  ])
})

test.each(['addTool', 'addPrompt', 'addResource', 'addCompletion'] as const)(
  '%s rejects a name as its first argument, and says that the only argument is an object',
  async (method) => {
    const server = await createServer({ ...plain, controllers: [] })
    const add = server.catalog[method].bind(server.catalog) as unknown as (...args: unknown[]) => void

    expect(() => add('echo', { description: 'Echoes' }, () => '')).toThrow(
      `cannot be added: 1 problem found.\n  1. ${method} was given the string 'echo'. Give one object, which includes the name: ${method}({ … }). [bad-option]`,
    )
    expect(() => add()).toThrow(`${method} was given undefined.`)
    await server.close()
  },
)

test('misspelt options of features added at run time are reported', async () => {
  const server = await createServer({ ...plain, controllers: [] })
  const handler = (): string => ''
  const { catalog } = server

  expect(() => catalog.addTool({ name: 'drop', handler, authorise: { roles: ['Admin'] } } as never)).toThrow(
    "Tool 'drop' cannot be added: 1 problem found.\n" +
      "  1. tool 'drop': addTool has no option 'authorise'. Did you mean authorize? [bad-option]",
  )
  expect(() => catalog.addPrompt({ name: 'greet', handler, inputs: {} } as never)).toThrow(
    "  1. prompt 'greet': addPrompt has no option 'inputs'. Did you mean input? [bad-option]",
  )
  for (const uri of ['notes://all', 'notes://{id}']) {
    expect(() => catalog.addResource({ uri, name: 'notes', handler, hook: [] } as never)).toThrow(
      `  1. resource '${uri}': addResource has no option 'hook'. Did you mean hooks? [bad-option]`,
    )
  }
  expect(() => catalog.addTool({ name: 'drop', handler, hooks: {} } as never)).toThrow(
    "  1. tool 'drop': hooks is a plain object. Give an array of objects. [bad-option]",
  )
  expect(() => catalog.addResource({ name: 'notes', handler } as never)).toThrow(
    "  1. resource '': '' is not a URI. Begin it with a scheme, such as notes://. [bad-uri]",
  )
  catalog.addPrompt({ name: 'greet', handler, input: Type.Object({ name: Type.String() }) })
  expect(() =>
    catalog.addCompletion({ prompt: 'greet', argument: 'name', handler: () => [], autorize: {} } as never),
  ).toThrow("addCompletion has no option 'autorize'. Did you mean authorize? [bad-option]")
  catalog.removePrompt('greet')
  expect([...catalog.tools.keys(), ...catalog.prompts.keys(), ...catalog.resources.keys()]).toEqual([])
  await server.close()
})

const plain: ServerOptions = { name: 'test', version: '1', logger: pino({ level: 'silent' }) }

const what = 'are sent as strings. They are converted to numbers, booleans and arrays of one item, but not to objects. '
const parts = 'Give each part a separate name, or take a string and parse it.'

test('prompt arguments and URI variables with types that strings cannot be converted to are reported', async () => {
  const Never = Type.Object({
    filter: Type.Object({ tag: Type.String() }),
    tags: Type.Optional(Type.Record(Type.String(), Type.String())),
    range: Type.Tuple([Type.Number(), Type.Number()]),
    rows: Type.Array(Type.Object({})),
    pair: Type.Array(Type.String(), { minItems: 2 }),
    either: Type.Union([Type.Object({}), Type.Tuple([])]),
    both: Type.Intersect([Type.Object({ a: Type.String() }), Type.Object({ b: Type.String() })]),
  })

  class Prompts {
    @McpPrompt({ input: Never })
    report(): string {
      return ''
    }

    @McpResource('notes://{id}', { input: Type.Object({ id: Type.Object({ year: Type.Number() }) }) })
    note(): string {
      return ''
    }
  }

  expect(await findMistakes(Prompts)).toEqual([
    ...Object.keys(Never.properties).map(
      (name) =>
        `bad-schema: Prompts.report: the input schema has '${name}', which no client can send. ` +
        `Arguments of a prompt ${what}${parts}`,
    ),
    `bad-schema: Prompts.note: the input schema has 'id', which no client can send. Variables of a URI ${what}${parts}`,
  ])
})

test('prompt arguments of all other types are accepted', async () => {
  const input = Type.Object({
    text: Type.String(),
    number: Type.Number(),
    flag: Type.Boolean(),
    nothing: Type.Null(),
    level: Type.Enum([1, 2]),
    kind: Type.Union([Type.Literal('a'), Type.Literal(5), Type.Object({})]),
    list: Type.Array(Type.Number()),
    both: Type.Intersect([Type.Number(), Type.Number({ minimum: 3 })]),
    any: Type.Unknown(),
    known: Type.Cyclic({ A: Type.Number() }, 'A'),
  })

  class Prompts {
    @McpPrompt({ input })
    show(args: JsonObject): string {
      return JSON.stringify(args)
    }
  }

  const server = await createServer({ ...plain, controllers: [Prompts] })
  const given = { text: 'a', number: '1', flag: 'true', nothing: 'null', level: '2', kind: '5', list: '4', both: '5' }
  const prompt = await server.getPrompt('show', { ...given, any: 'x', known: '7' })
  expect(prompt).toEqual({
    messages: [
      {
        role: 'user',
        content: {
          type: 'text',
          text:
            '{"text":"a","number":1,"flag":true,"nothing":null,"level":2,"kind":5,"list":[4],"both":5,"any":"x",' +
            '"known":7}',
        },
      },
    ],
  })
  await server.close()
})
