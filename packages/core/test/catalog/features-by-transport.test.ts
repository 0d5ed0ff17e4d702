import {
  type CompletionRequest,
  McpCompletion,
  McpController,
  McpPrompt,
  McpResource,
  McpTool,
  Type,
} from '@toolwright/core'
import { createServer, type ServerOptions } from '@toolwright/server'
import { lanes } from '@toolwright/testing'
import { type Caller, openCaller } from '../support/callers.js'
import { openRawClient, type RawMessage } from '../support/raw-client.js'

const PathInput = Type.Object({ path: Type.String() })

@McpController({ transports: ['stdio', 'in-process'] })
class LocalFiles {
  @McpTool({ description: 'Reads a file', input: PathInput })
  readFile({ path }: { path: string }): string {
    return `content of ${path}`
  }

  @McpTool({ description: 'Uploads a file', transports: ['http', 'websocket'] })
  upload(): string {
    return 'uploaded'
  }

  @McpPrompt({ input: PathInput })
  review({ path }: { path: string }): string {
    return `Review ${path}`
  }

  @McpCompletion({ prompt: 'review', argument: 'path' })
  paths({ value }: CompletionRequest): string[] {
    return [`${value}.txt`]
  }

  @McpResource('notes://local')
  notes(): string {
    return 'local notes'
  }

  @McpResource('disk:///{+path}')
  file({ path }: { path: string }): string {
    return path
  }
}

class Everywhere {
  @McpTool({ description: 'Adds' })
  add(): string {
    return 'added'
  }

  @McpPrompt()
  greet(): string {
    return 'Hello'
  }

  @McpResource('notes://shared')
  notes(): string {
    return 'shared notes'
  }

  @McpResource('web:///{page}')
  page({ page }: { page: string }): string {
    return page
  }
}

const identity = { name: 'test', version: '1' }
const controllers = [LocalFiles, Everywhere]

/** The error of a response, or the relevant part of its result. */
function outcomeOf({ result, error }: RawMessage): unknown {
  if (error !== undefined) return error
  const { content, messages, contents, completion } = result
  return completion?.values ?? content?.[0].text ?? messages?.[0].content.text ?? contents[0].text
}

async function namesIn(caller: Caller, method: string, member: string): Promise<string[]> {
  const { result } = await caller.request(method)
  return result[member].map(({ name, uri, uriTemplate }: Record<string, string>) => uri ?? uriTemplate ?? name)
}

describe.each(lanes)('features with transports, over $lane, $era', (lane) => {
  const transport = lane.lane === 'in-memory' ? 'in-process' : lane.lane
  const isLocal = transport !== 'http'

  async function open(options: Partial<ServerOptions> = {}) {
    const server = await createServer({ ...identity, controllers, ...options })
    const caller = await openCaller(server, lane, undefined)
    const close = async (): Promise<void> => {
      await caller.close()
      await server.close()
    }
    return { server, caller, [Symbol.asyncDispose]: close }
  }

  test('are listed where they are served', async () => {
    await using opened = await open()
    const { caller } = opened
    expect(await namesIn(caller, 'tools/list', 'tools')).toEqual(isLocal ? ['add', 'read_file'] : ['add', 'upload'])
    expect(await namesIn(caller, 'prompts/list', 'prompts')).toEqual(isLocal ? ['greet', 'review'] : ['greet'])
    expect(await namesIn(caller, 'resources/list', 'resources')).toEqual(
      isLocal ? ['notes://local', 'notes://shared'] : ['notes://shared'],
    )
    expect(await namesIn(caller, 'resources/templates/list', 'resourceTemplates')).toEqual(
      isLocal ? ['disk:///{+path}', 'web:///{page}'] : ['web:///{page}'],
    )
    const openai = await caller.request('tools/list/openai')
    expect(openai.result.tools.map((tool: { function: { name: string } }) => tool.function.name)).toEqual(
      isLocal ? ['add', 'read_file'] : ['add', 'upload'],
    )
  })

  test('are served where they are listed, and name their transports elsewhere', async () => {
    await using opened = await open()
    const { caller } = opened
    const outcomes = [
      await caller.request('tools/call', { name: 'read_file', arguments: { path: 'a' } }),
      await caller.request('prompts/get', { name: 'review', arguments: { path: 'a' } }),
      await caller.request('resources/read', { uri: 'notes://local' }),
      await caller.request('resources/read', { uri: 'notes://l%6fcal' }),
      await caller.request('resources/read', { uri: 'disk:///etc/hosts' }),
      await caller.request('tools/call', { name: 'upload' }),
    ].map(outcomeOf)
    const rejected = (label: string, where: string, transports: readonly string[]) => ({
      code: -32602,
      message: `${label} is not served over ${where}. It needs ${transports.join(' or ')}`,
      data: { transports },
    })
    const notLocal = (label: string) => rejected(label, 'http', ['stdio', 'in-process'])
    const served = ['content of a', 'Review a', 'local notes', 'local notes', 'etc/hosts']
    const elsewhere = [
      notLocal("Tool 'read_file'"),
      notLocal("Prompt 'review'"),
      notLocal("Resource 'notes://local'"),
      notLocal("Resource 'notes://local'"),
      notLocal("Resource 'disk:///{+path}'"),
    ]
    const upload = rejected("Tool 'upload'", transport, ['http', 'websocket'])
    expect(outcomes).toEqual(isLocal ? [...served, upload] : [...elsewhere, 'uploaded'])
  })

  test('are completed where they are served', async () => {
    await using opened = await open()
    const ref = { type: 'ref/prompt', name: 'review' }
    const completed = await opened.caller.request('completion/complete', {
      ref,
      argument: { name: 'path', value: 'a' },
    })
    expect(outcomeOf(completed)).toEqual(isLocal ? ['a.txt'] : { code: -32602, message: 'Unknown prompt: review' })
  })

  test('with hideForbidden, get the error for unknown features elsewhere', async () => {
    await using opened = await open({ authorization: { default: 'anonymous', hideForbidden: true } })
    const { caller } = opened
    const read = await caller.request('tools/call', { name: 'read_file', arguments: { path: 'a' } })
    const notes = await caller.request('resources/read', { uri: 'notes://local' })
    expect(outcomeOf(read)).toEqual(isLocal ? 'content of a' : { code: -32602, message: 'Unknown tool: read_file' })
    expect(notes.error?.message).toBe(isLocal ? undefined : 'Resource not found')
  })

  test('are suggested where they are served', async () => {
    await using opened = await open()
    const { error } = await opened.caller.request('tools/call', { name: 'read_fil' })
    expect(error.data).toEqual(isLocal ? { suggestions: ['read_file'] } : undefined)
  })

  test('that are added and removed later change the lists at once', async () => {
    await using opened = await open()
    const { server, caller } = opened
    server.catalog.addTool({ name: 'late', transports: ['http'], handler: () => 'late' })
    expect(await namesIn(caller, 'tools/list', 'tools')).toEqual(
      isLocal ? ['add', 'read_file'] : ['add', 'late', 'upload'],
    )
    server.catalog.removeTool('late')
    server.catalog.removeTool('read_file')
    server.catalog.removeTool('upload')
    expect(await namesIn(caller, 'tools/list', 'tools')).toEqual(['add'])
  })
})

test('lists have their own pages for each transport', async () => {
  await using server = closing(await createServer({ ...identity, controllers, pageSize: 1 }))
  const [local, remote] = await Promise.all(
    (['stdio', 'http'] as const).map((lane) => openCaller(server.value, { lane, era: 'modern' }, undefined)),
  )
  try {
    const first = await (local as Caller).request('tools/list')
    const { nextCursor: cursor } = first.result
    const [second, elsewhere] = await Promise.all(
      [local, remote].map((caller) => (caller as Caller).request('tools/list', { cursor })),
    )
    expect(second.result.tools.map(({ name }: { name: string }) => name)).toEqual(['read_file'])
    expect(elsewhere.result.tools.map(({ name }: { name: string }) => name)).toEqual(['upload'])
  } finally {
    await Promise.all([local, remote].map((caller) => (caller as Caller).close()))
  }
})

test('only clients of the transports of a feature are notified of a change', async () => {
  await using server = closing(await createServer({ ...identity, controllers }))
  await using client = openRawClient(server.value)
  await client.initialize('2025-11-25')
  client.notify('notifications/initialized')
  server.value.catalog.addTool({ name: 'remote', transports: ['http'], handler: () => '' })
  await Promise.resolve()
  server.value.catalog.addPrompt({ name: 'local', transports: ['in-process'], handler: () => '' })
  expect((await client.next()).method).toBe('notifications/prompts/list_changed')
})

test('capabilities omit kinds of features that the transport does not serve', async () => {
  class Local {
    @McpPrompt({ transports: ['stdio'] })
    only(): string {
      return ''
    }
  }
  await using server = closing(await createServer({ ...identity, controllers: [Local] }))
  await using client = openRawClient(server.value)
  expect((await client.initialize('2025-11-25')).result.capabilities.prompts).toBeUndefined()
  expect((await client.modern('server/discover', {})).result.capabilities.prompts).toBeUndefined()
})

test('a subscription of a resource of another transport is rejected', async () => {
  class Remote {
    @McpResource('feed://news', { transports: ['http'] })
    news(): string {
      return ''
    }
  }
  await using server = closing(await createServer({ ...identity, controllers: [Remote, Everywhere] }))
  await using client = openRawClient(server.value)
  await client.initialize('2025-11-25')
  const { error } = await client.request('resources/subscribe', { uri: 'feed://news' })
  expect(error.message).toBe("Resource 'feed://news' is not served over in-process. It needs http")
})

test('a template of one transport is not bypassed by another template', async () => {
  class Overlapping {
    @McpResource('docs:///{name}', { transports: ['stdio'] })
    local({ name }: { name: string }): string {
      return `local ${name}`
    }

    @McpResource('docs:///{page}')
    open({ page }: { page: string }): string {
      return `open ${page}`
    }
  }
  await using server = closing(await createServer({ ...identity, controllers: [Overlapping] }))
  await using client = openRawClient(server.value)
  const { error } = await client.modern('resources/read', { uri: 'docs:///a' })
  expect(error.message).toBe("Resource 'docs:///{name}' is not served over in-process. It needs stdio")
  expect(server.value.explain().overlaps).toEqual([
    "'docs:///{page}' is unreachable: 'docs:///{name}' matches the same URIs. Remove one",
  ])
})

test('a handler sees its transport', async () => {
  await using server = closing(
    await createServer({
      ...identity,
      controllers: [],
      onReady: ({ catalog }) =>
        catalog.addTool({ name: 'transport', handler: (_args, context) => String(context.transport) }),
    }),
  )
  const { content } = await server.value.callTool('transport')
  expect(content).toEqual([{ type: 'text', text: 'in-process' }])
})

test('in-process calls have the transport in-process', async () => {
  await using server = closing(await createServer({ ...identity, controllers }))
  const names = (await server.value.listTools()).map(({ name }) => name)
  expect(names).toEqual(['add', 'read_file'])
  await expect(server.value.callTool('upload')).rejects.toThrow(
    "Tool 'upload' is not served over in-process. It needs http or websocket",
  )
})

test('the report names the transports', async () => {
  await using server = closing(await createServer({ ...identity, controllers }))
  const report = server.value.explain()
  expect(report.tools.map(({ name, transports }) => [name, transports])).toEqual([
    ['add', null],
    ['read_file', ['stdio', 'in-process']],
    ['upload', ['http', 'websocket']],
  ])
  expect(String(report).split('\n').slice(1, 5)).toEqual([
    '  tool       method               parameters  input         output                   transports',
    '  add        Everywhere.add                   no arguments  text (no output schema)  all',
    '  read_file  LocalFiles.readFile  arguments   path          text (no output schema)  stdio, in-process',
    '  upload     LocalFiles.upload                no arguments  text (no output schema)  http, websocket',
  ])
})

describe('mistakes in transports', () => {
  test('are reported together at boot', async () => {
    @McpController({ transports: ['htpp' as 'http'] })
    class Wrong {
      @McpTool({ transports: 'stdio' as never })
      text(): void {}

      @McpTool({ transports: [] })
      empty(): void {}

      @McpPrompt({ transports: ['http', 'smoke' as 'http'] })
      unknown(): string {
        return ''
      }

      @McpResource('notes://a', { transports: undefined as never })
      forgotten(): string {
        return ''
      }

      @McpTool()
      fine(): void {}
    }
    const booting = createServer({ ...identity, controllers: [Wrong] })
    await expect(booting).rejects.toMatchObject({
      diagnostics: [
        { code: 'bad-option', message: "Wrong: transports has 'htpp', which does not exist. Did you mean http?" },
        {
          code: 'bad-option',
          message:
            "Wrong.text: transports is the string 'stdio'. Give an array of 'stdio', 'http', 'websocket', 'in-process'.",
        },
        {
          code: 'bad-option',
          message:
            "Wrong.empty: transports is empty. Give at least one of 'stdio', 'http', 'websocket', 'in-process', or " +
            'leave it out.',
        },
        {
          code: 'bad-option',
          message:
            "Wrong.unknown: transports has 'smoke', which does not exist. Give one of http, in-process, stdio, websocket.",
        },
        {
          code: 'bad-option',
          message:
            'Wrong.forgotten: transports is undefined when the class is defined. Give an array, or leave the option out.',
        },
      ],
    })
  })
})

/** Closes a server at the end of a test. */
function closing<Server extends { close(): Promise<void> }>(value: Server) {
  return { value, [Symbol.asyncDispose]: () => value.close() }
}
