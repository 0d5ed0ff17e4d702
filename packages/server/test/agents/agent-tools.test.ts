import {
  Authorize,
  audio,
  type Catalog,
  embeddedResource,
  image,
  type JsonObject,
  McpContext,
  type McpServer,
  McpTool,
  resourceLink,
  result,
  ToolError,
  Type,
  text,
} from '@toolwright/core'
import { createServer, type ServerOptions } from '@toolwright/server'
import { connect } from '@toolwright/testing'
import { ToolMessage } from 'langchain'
import { pino } from 'pino'
import { scriptedAgents } from './scripted-agents.js'

const AddInput = Type.Object({ a: Type.Number(), b: Type.Number({ default: 1 }) })
const ListInput = Type.Object({ items: Type.Array(Type.Object({ name: Type.String() })) })
const Counted = Type.Object({ count: Type.Integer() })
const Sure = Type.Object({ sure: Type.Boolean() })

const treeSchema = {
  type: 'object',
  properties: { tree: { $ref: '#/$defs/tree' }, key: { anyOf: [{ type: 'string' }, { type: 'integer' }] } },
  required: ['tree'],
  $defs: { tree: { type: 'object', properties: { child: { $ref: '#/$defs/tree' } } } },
} as const

const png = 'iVBORw0KGgo='
const pdf = Buffer.from('%PDF-').toString('base64')

class Tools {
  @McpTool({ description: 'Adds', input: AddInput, output: Type.Object({ sum: Type.Number() }) })
  add({ a, b }: { a: number; b: number }): { sum: number } {
    return { sum: a + b }
  }

  @McpTool({ output: Counted })
  countItems() {
    return result({ content: [text('6 items')], structuredContent: { count: 6 } })
  }

  @McpTool()
  failWithData() {
    return result({ content: [text('No such city')], structuredContent: { cities: ['Oslo'] }, isError: true })
  }

  @McpTool({ input: ListInput })
  list({ items }: { items: { name: string }[] }): string {
    return items.map(({ name }) => name).join(' ')
  }

  @McpTool()
  closed(): never {
    throw new ToolError('The shop is closed')
  }

  @McpTool()
  crash(): never {
    throw new Error('the password is hunter2')
  }

  @McpTool()
  media() {
    return result({
      content: [
        text('a chart'),
        image(png, 'image/png'),
        audio(png, 'audio/wav'),
        embeddedResource({ uri: 'file:///docs/report.pdf', mimeType: 'application/pdf', blob: pdf }),
        embeddedResource({ uri: 'file:///notes.txt', mimeType: 'text/plain', text: 'notes' }),
        resourceLink('file:///big.csv', 'big'),
      ],
    })
  }

  @McpTool({ output: Counted })
  countAndDraw() {
    return result({ content: [text('drawn'), image(png, 'image/png')], structuredContent: { count: 1 } })
  }

  @McpTool()
  nothing(): void {}

  @McpTool()
  failSilently() {
    return result({ content: [], isError: true })
  }

  @McpTool({ inputSchema: treeSchema })
  grow(args: JsonObject): string {
    return JSON.stringify(args)
  }

  @McpTool()
  big(): string {
    return 'x'.repeat(5000)
  }

  @McpTool()
  async ask(context: McpContext): Promise<string> {
    const answer = await context.elicit({ message: 'Sure?', schema: Sure })
    context.progress(1, 2, 'half')
    return answer.action === 'accept' ? `sure: ${answer.content.sure}` : answer.action
  }
}

@Authorize()
class GuardedTools {
  @McpTool()
  whoami({ principal }: McpContext): string {
    return principal?.subject ?? 'anonymous'
  }

  @McpTool()
  @Authorize({ roles: ['admin'] })
  grant(): string {
    return 'granted'
  }
}

const options: ServerOptions = {
  name: 'shop',
  version: '1.0.0',
  controllers: [Tools],
  logger: pino({ level: 'silent' }),
  limits: { maxResultBytes: 2000, maxDepth: 8 },
}

const servers: McpServer[] = []

async function open(own: Partial<ServerOptions> = {}): Promise<McpServer> {
  const server = await createServer({ ...options, ...own })
  servers.push(server)
  return server
}

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

describe.each(scriptedAgents)('an agent of the $library', (agent) => {
  const textsOf = (answers: readonly unknown[]) => answers.map((answer) => agent.textOf(answer))

  async function call(name: string, args: unknown = {}, own: object = {}): Promise<string | null> {
    const { answers } = await agent.run(await open(), [[[name, args]]], own)
    expect(answers).toHaveLength(1)
    return agent.textOf(answers[0])
  }

  it('gets the structured content rather than its summary', async () => {
    expect(await call('count_items')).toBe('{"count":6}')
    expect(await call('add', { a: 2 })).toBe('{"sum":3}')
  })

  it('gets the text of an error rather than its data, and can correct its call', async () => {
    const { answers } = await agent.run(await open(), [
      [['fail_with_data', {}]],
      [['closed', {}]],
      [['add', { a: 2, b: 3 }]],
    ])
    expect(textsOf(answers)).toEqual(['No such city', 'The shop is closed', '{"sum":5}'])
  })

  it('gets the same message with the path of a wrong argument as a remote client', async () => {
    const server = await open()
    const wrong = { items: [{ name: 'a' }, { name: 7 }] }
    await using remote = await connect(server)
    const { content } = await remote.client.callTool({ name: 'list', arguments: wrong })
    const expected = (content as { text: string }[])[0]?.text
    expect(expected).toContain("'items/1/name' must be a string")

    const { answers } = await agent.run(server, [
      [
        ['list', wrong],
        ['list', { items: '[]' }],
        ['add', { a: '2' }],
        ['add', {}],
      ],
    ])
    expect(textsOf(answers)).toEqual([
      expected,
      "Invalid arguments for tool 'list': 'items' must be an array, got a string.",
      "Invalid arguments for tool 'add': 'a' must be a number, got a string.",
      "Invalid arguments for tool 'add': missing required argument 'a'.",
    ])
  })

  it('is never told the reason of an unexpected failure', async () => {
    expect(await call('crash')).toMatch(
      /^Tool 'crash' failed\. The cause is in the server's log \(request \d+, error [\w-]+\)\.$/,
    )
  })

  it('gets an error for arguments and results that exceed a limit', async () => {
    const deep = JSON.parse(`{"items":${'['.repeat(20)}${']'.repeat(20)}}`) as object
    expect(await call('list', deep)).toMatch(/nest/)
    expect(await call('big')).toBe("Tool 'big' returned more than 2000 bytes. Ask for less.")
  })

  it('gets a text if a tool returns nothing, or fails without a reason', async () => {
    expect([await call('nothing'), await call('fail_silently')]).toEqual(['Done.', 'The tool failed.'])
  })

  it('gets the image of a result that also has structured content', async () => {
    const { answers } = await agent.run(await open(), [[['count_and_draw', {}]]])
    const seen = JSON.stringify(answers)
    expect([seen.includes(String.raw`{\"count\":1}`), seen.includes(png), agent.textOf(answers[0])]).toEqual([
      true,
      true,
      null,
    ])
  })

  it('cannot call members of objects in place of tools', async () => {
    const names = ['constructor', 'toString', 'missing']
    for (const name of names) {
      // oxlint-disable-next-line no-await-in-loop
      const outcome = await agent.run(await open(), [[[name, {}]]]).then(
        ({ answers }) => agent.textOf(answers[0]),
        (error: Error) => error.message,
      )
      expect(outcome).toMatch(
        new RegExp(`${name}.*(?:not found|unavailable|not a valid tool)|unavailable tool '${name}'`),
      )
    }
  })

  it('is offered schemas unchanged, and an object for a tool without arguments', async () => {
    const { offered } = await agent.run(await open(), [])
    const schemas = Object.fromEntries(offered.map(({ name, parameters }) => [name, parameters]))
    expect(schemas['grow']).toEqual(treeSchema)
    expect(schemas['nothing']).toMatchObject({ type: 'object', properties: {} })
  })

  it('is offered names that vendors accept, and calls the tools by these names', async () => {
    const long = 'a'.repeat(80)
    const prepare = (catalog: Catalog): void => {
      for (const name of ['files.read', long]) {
        catalog.addTool({ name, inputSchema: { type: 'object' }, handler: () => `called ${name.slice(0, 10)}` })
      }
    }
    const server = await open({ controllers: [], onReady: ({ catalog }) => prepare(catalog) })
    const { offered } = await agent.run(server, [])
    const names = offered.map(({ name }) => name).toSorted()
    expect(names).toEqual([expect.stringMatching(/^a{55}_[0-9a-f]{8}$/), 'files_read'])
    const { answers } = await agent.run(server, [names.map((name) => [name, {}] as const)])
    expect(textsOf(answers)).toEqual(['called aaaaaaaaaa', 'called files.read'])
  })

  it('is offered the tools of its caller, and acts as this caller', async () => {
    const server = await open({ controllers: [GuardedTools] })
    const admin = { subject: 'ann', roles: ['admin'] }
    const nameOf = ({ name }: { name: string }) => name
    const asAnn = await agent.run(server, [[['whoami', {}]]], { principal: admin })
    const asBob = await agent.run(server, [[['whoami', {}]]], { principal: { subject: 'bob' } })
    expect(asAnn.offered.map(nameOf)).toContain('grant')
    expect(asBob.offered.map(nameOf)).not.toContain('grant')
    expect(textsOf([...asAnn.answers, ...asBob.answers])).toEqual(['ann', 'bob'])
  })

  it('gets an error for a tool that has been removed during its run', async () => {
    const server = await open()
    server.catalog.addTool({
      name: 'vanish',
      inputSchema: { type: 'object' },
      handler: () => String(server.catalog.removeTool('vanish')),
    })
    const { answers } = await agent.run(server, [[['vanish', {}]], [['vanish', {}]]])
    expect(textsOf(answers)).toEqual(['true', 'Unknown tool: vanish'])
  })

  it('makes calls in parallel', async () => {
    const server = await open()
    let waiting = 0
    let meet: () => void
    const met = new Promise<void>((resolve) => {
      meet = resolve
    })
    server.catalog.addTool({
      name: 'meet',
      inputSchema: { type: 'object' },
      handler: async () => {
        waiting++
        if (waiting === 3) meet()
        await met
        return 'met'
      },
    })
    const { answers } = await agent.run(server, [[1, 2, 3].map(() => ['meet', {}] as const)])
    expect(textsOf(answers)).toEqual(['met', 'met', 'met'])
  })

  it('stops the handler when it is aborted', async () => {
    const server = await open()
    const { signal, abort } = abortable()
    const stopped = new Promise<string>((resolve) => {
      server.catalog.addTool({
        name: 'slow',
        inputSchema: { type: 'object' },
        handler: async (_args: unknown, context: McpContext) => {
          context.signal.addEventListener('abort', () => resolve('stopped'))
          abort()
          return new Promise<string>(() => undefined)
        },
      })
    })
    await expect(agent.run(server, [[['slow', {}]]], { signal })).rejects.toThrow(/abort/i)
    expect(await stopped).toBe('stopped')
  })

  it('lets functions answer the questions of a tool, and get its progress', async () => {
    const seen: unknown[] = []
    const onElicit = (request: object, asked: { tool: string; id: string | undefined }) => {
      seen.push([request, asked.tool, asked.id])
      return { action: 'accept' as const, content: { sure: true } }
    }
    const onProgress = (update: object, asked: object): void => void seen.push([update, asked])
    expect(await call('ask', {}, { onElicit, onProgress })).toBe('sure: true')
    const id = 'call_0_0'
    expect(seen).toEqual([
      [expect.objectContaining({ mode: 'form', message: 'Sure?' }), 'ask', id],
      [
        { progress: 1, total: 2, message: 'half' },
        { tool: 'ask', id },
      ],
    ])
  })

  it('gets an error for a tool that asks without onElicit', async () => {
    expect(await call('ask')).toBe('Missing required client capability: elicitation.form')
  })

  it('rejects misspelt options', async () => {
    await expect(agent.run(await open(), [], { principle: null } as never)).rejects.toThrow(
      'principle is not an option. Did you mean principal?',
    )
  })
})

function abortable(): { readonly signal: AbortSignal; readonly abort: () => void } {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort() }
}

describe('images, audio, files and links', () => {
  const link = '{"type":"resource_link","uri":"file:///big.csv","name":"big"}'

  it.each([
    [
      'AI SDK',
      {
        type: 'content',
        value: [
          { type: 'text', text: 'a chart' },
          { type: 'image-data', data: png, mediaType: 'image/png' },
          { type: 'file-data', data: png, mediaType: 'audio/wav', filename: 'audio' },
          { type: 'file-data', data: pdf, mediaType: 'application/pdf', filename: 'report.pdf' },
          { type: 'text', text: 'notes' },
          { type: 'text', text: link },
        ],
      },
    ],
    [
      'LangChain',
      [
        { type: 'text', text: 'a chart' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
        { type: 'audio', data: png, mimeType: 'audio/wav' },
        { type: 'file', data: pdf, mimeType: 'application/pdf', metadata: { filename: 'report.pdf' } },
        { type: 'text', text: 'notes' },
        { type: 'text', text: link },
      ],
    ],
    [
      'OpenAI Agents SDK',
      [
        { type: 'input_text', text: 'a chart' },
        { type: 'input_image', image: `data:image/png;base64,${png}` },
        { type: 'input_file', file: `data:audio/wav;base64,${png}`, filename: 'audio' },
        { type: 'input_file', file: `data:application/pdf;base64,${pdf}`, filename: 'report.pdf' },
        { type: 'input_text', text: 'notes' },
        { type: 'input_text', text: link },
      ],
    ],
  ])('reach a model of the %s as its own parts', async (library, expected) => {
    const agent = scriptedAgents.find((one) => one.library === library)
    const seen = await agent?.run(await open(), [[['media', {}]]])
    const [answer] = seen?.answers ?? []
    expect(ToolMessage.isInstance(answer) ? answer.content : answer).toEqual(expected)
  })
})
