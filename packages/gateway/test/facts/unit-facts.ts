// The cases of MCP Gateway's main test project about its own types. Those with a counterpart on the wire are sent.
import { differs, error, type FactFile, fact, type Listed, request, result, type Step, unit } from './fact.js'
import {
  absent,
  atLeast,
  both,
  contains,
  either,
  first,
  last,
  list,
  none,
  object,
  size,
  some,
  text,
} from './pattern.js'
import { openSession } from './protocol-facts.js'

const transports = 'packages/core/test/catalog/features-by-transport.test.ts'
const eventIds = 'packages/fastify/test/sessions/resumption.test.ts'
const buffers = 'packages/fastify/test/sessions/session-bounds.test.ts'
const sessions = 'packages/fastify/test/sessions/sessions.test.ts'
const expiry = 'packages/fastify/test/sessions/expiry.test.ts'
const sessionStreams = 'packages/fastify/test/sessions/session-streams.test.ts'
const sseFrames = 'packages/gateway/test/sse.test.ts'
const schemas = 'packages/core/test/boot/schemas.test.ts'
const names = 'packages/core/test/boot/names.test.ts'
const listTools = 'packages/core/test/tools/list-tools.test.ts'

function units(heldBy: string, ...abouts: readonly string[]) {
  return abouts.map((about) => unit(about, heldBy))
}

/** A pattern for the tool of a format. */
const microsoft = (name: string, parameters: object) => ({ tools: some({ name, parameters: parameters as never }) })

const renamed: Listed = {
  reason: 'choice',
  why: 'each capital gets an underscore, so an acronym is taken apart; ours keeps it whole',
}

/** The stream of a session. */
const channel = {
  to: '/mcp',
  verb: 'GET' as const,
  headers: { 'mcp-protocol-version': '2025-11-25', accept: 'text/event-stream', 'mcp-session-id': '{{session}}' },
}

const changed = (feature: string) => ({ id: text, data: { method: `notifications/${feature}/list_changed` } })

/** A session that has got two messages, while its stream was cut. */
const twoMessages: readonly Step[] = [
  openSession('/mcp'),
  {
    ...channel,
    verb: 'POST',
    send: { jsonrpc: '2.0', method: 'notifications/initialized' },
    expect: { status: 202 },
  },
  { ...channel, reads: 1, expect: { events: size(1) }, keep: { opened: 'events.0.id' } },
  ...['tools', 'prompts'].map((feature) => ({ to: `/changes/${feature}`, expect: { status: 200 } })),
]

export const unitFacts: readonly FactFile[] = [
  {
    file: 'Mcp.Gateway.Tests/Formatters/MicrosoftAIToolListFormatterTests.cs',
    server: 'formats',
    cases: [
      fact(
        'microsoft-ai: type, description and need of each parameter',
        result('tools/list/microsoft-ai', undefined, {
          tools: some({
            name: 'add_numbers',
            description: 'Adds two numbers',
            parameters: {
              a: { type: 'integer', description: 'First number', required: true },
              b: { type: 'integer', required: true },
            },
          }),
        }),
      ),
      fact(
        'microsoft-ai: without required fields, none is required',
        result('tools/list/microsoft-ai', undefined, microsoft('greet', { name: { required: false } })),
      ),
      fact(
        'microsoft-ai: some fields are required',
        result(
          'tools/list/microsoft-ai',
          undefined,
          microsoft('create_user', { name: { required: true }, email: { required: true }, age: { required: false } }),
        ),
      ),
      fact(
        'microsoft-ai: a parameter without a description',
        result(
          'tools/list/microsoft-ai',
          undefined,
          microsoft('simple_tool', { value: { description: either(absent, null) } }),
        ),
      ),
      fact(
        'microsoft-ai: several tools',
        result('tools/list/microsoft-ai', undefined, {
          tools: both(some({ name: 'tool1' }), some({ name: 'tool2' }), some({ name: 'tool3' })),
        }),
      ),
      fact(
        'microsoft-ai: the name of the format',
        error('tools/list/other', undefined, { data: { supportedFormats: some('microsoft-ai') } }),
      ),
      fact(
        'microsoft-ai: a tool without parameters',
        result('tools/list/microsoft-ai', undefined, {
          tools: some({ name: 'no_params', parameters: (value: unknown) => JSON.stringify(value) === '{}' }),
        }),
      ),
    ],
  },
  {
    file: 'Mcp.Gateway.Tests/Formatters/OllamaToolListFormatterTests.cs',
    server: 'formats',
    cases: [
      fact(
        'ollama: name, description and schema',
        result('tools/list/ollama', undefined, {
          tools: some({
            type: 'function',
            function: {
              name: 'add_numbers',
              description: 'Adds two numbers',
              parameters: { type: 'object', properties: { a: object, b: object }, required: size(2) },
            },
          }),
        }),
      ),
      differs(
        'ollama: without required fields, `required` is an empty list',
        {
          reason: 'choice',
          why: "JSON Schema's default of `required` is the empty list; Ollama's own client omits it, too",
          ours: {
            body: { result: { tools: some({ function: { name: 'greet', parameters: { required: absent } } }) } },
          },
        },
        result('tools/list/ollama', undefined, {
          tools: some({ function: { name: 'greet', parameters: { required: both(list, size(0)) } } }),
        }),
      ),
      fact(
        'ollama: a nested schema stays as it is',
        result('tools/list/ollama', undefined, {
          tools: some({
            function: {
              name: 'complex_tool',
              parameters: { properties: { user: { type: 'object' }, tags: { type: 'array' } } },
            },
          }),
        }),
      ),
      fact(
        'ollama: several tools',
        result('tools/list/ollama', undefined, {
          tools: both(
            some({ function: { name: 'tool1' } }),
            some({ function: { name: 'tool2' } }),
            some({ function: { name: 'tool3' } }),
          ),
        }),
      ),
      fact(
        'ollama: the name of the format',
        error('tools/list/other', undefined, { data: { supportedFormats: some('ollama') } }),
      ),
    ],
  },
  {
    file: 'Mcp.Gateway.Tests/ToolCapabilitiesTests.cs',
    server: 'formats',
    cases: [
      fact('over stdio, tools with streams are not listed', {
        to: 'stdio',
        send: request('tools/list'),
        expect: {
          body: {
            result: { tools: both(some({ name: 'test_standard_tool' }), none({ name: 'test_binary_stream_tool' })) },
          },
        },
      }),
      fact(
        'over HTTP, tools with streams of bytes are not listed',
        result('tools/list', undefined, {
          tools: both(some({ name: 'test_standard_tool' }), none({ name: 'test_binary_stream_tool' })),
        }),
      ),
      fact('over WebSocket, all tools are listed', {
        to: '/ws',
        send: request('tools/list'),
        expect: {
          body: {
            result: {
              tools: both(
                some({ name: 'test_standard_tool' }),
                some({ name: 'test_binary_stream_tool' }),
                some({ name: 'test_text_stream_tool' }),
              ),
            },
          },
        },
      }),
      fact('over SSE, tools with streams of text are listed', {
        to: '/sse',
        send: request('tools/list'),
        expect: {
          events: first({
            data: {
              result: {
                tools: both(
                  some({ name: 'test_standard_tool' }),
                  some({ name: 'test_text_stream_tool' }),
                  none({ name: 'test_binary_stream_tool' }),
                ),
              },
            },
          }),
        },
      }),
      unit('flags of capabilities are combined', transports, 'an enum of C#; ours is a list of transports'),
      fact('a definition without capabilities is for every transport', {
        to: 'stdio',
        send: request('tools/list'),
        expect: { body: { result: { tools: some({ name: 'greet' }) } } },
      }),
      fact('a tool without capabilities is for every transport', {
        to: '/ws',
        send: request('tools/list'),
        expect: { body: { result: { tools: some({ name: 'greet' }) } } },
      }),
      unit('definitions have the capabilities', transports, 'a method of an internal type'),
    ],
  },
  {
    file: 'Mcp.Gateway.Tests/Tools/IconTests.cs',
    server: 'formats',
    cases: [
      fact(
        'an icon has source, type and sizes',
        result('tools/list', undefined, {
          tools: some({
            icons: first({ src: 'https://example.com/icon.png', mimeType: 'image/png', sizes: ['48x48', '64x64'] }),
          }),
        }),
      ),
      fact(
        'an icon needs its source only',
        result('prompts/list', undefined, {
          prompts: some({
            icons: first({
              src: 'https://example.com/icon.png',
              mimeType: either(absent, null),
              sizes: either(absent, null),
            }),
          }),
        }),
      ),
      fact(
        'a tool has an icon',
        result('tools/list', undefined, { tools: some({ name: 'with_icon', icons: size(1) }) }),
      ),
      fact(
        'a prompt has an icon',
        result('prompts/list', undefined, { prompts: some({ name: 'with_icon', icons: size(1) }) }),
      ),
      fact(
        'a resource has an icon',
        result('resources/list', undefined, { resources: some({ uri: 'icon://test', icons: size(1) }) }),
      ),
      fact(
        'a definition keeps the URL of its icon',
        result('tools/list', undefined, {
          tools: some({ name: 'with_icon', icons: first({ src: 'https://example.com/icon.png' }) }),
        }),
      ),
    ],
  },
  {
    file: 'Mcp.Gateway.Tests/Tools/InputSchemaValidationTests.cs',
    server: 'formats',
    cases: [
      fact(
        'a schema has its properties as an object',
        result('tools/list', undefined, {
          tools: some({ name: 'greet', inputSchema: { properties: { name: object } } }),
        }),
      ),
      unit('a schema with a list of properties is found', schemas, 'a parser of JSON; ours rejects the schema at boot'),
      unit('a malformed schema is found', schemas, 'a parser of JSON; ours rejects the schema at boot'),
      fact(
        'an empty schema is valid',
        result('tools/list', undefined, { tools: some({ name: 'no_params', inputSchema: { type: 'object' } }) }),
      ),
      fact(
        'a schema has its required fields as a list',
        result('tools/list', undefined, {
          tools: some({ name: 'add_numbers', inputSchema: { required: ['a', 'b'] } }),
        }),
      ),
      fact(
        'a schema has schemas within it',
        result('tools/list', undefined, {
          tools: some({
            name: 'complex_tool',
            inputSchema: { properties: { user: { properties: { name: object, age: object } } } },
          }),
        }),
      ),
      unit('a list instead of an object is found', schemas, 'a parser of JSON; ours rejects the schema at boot'),
      fact('an id may be a number', {
        to: '/rpc',
        send: { jsonrpc: '2.0', method: 'ping', id: 42 },
        expect: { body: { id: 42 } },
      }),
      fact('an id may be a string', {
        to: '/rpc',
        send: { jsonrpc: '2.0', method: 'ping', id: 'test-123' },
        expect: { body: { id: 'test-123' } },
      }),
      fact('a message without an id is a notification', {
        to: '/rpc',
        send: { jsonrpc: '2.0', method: 'notify' },
        expect: { status: 204 },
      }),
    ],
  },
  {
    file: 'Mcp.Gateway.Tests/Tools/StructuredContentTests.cs',
    server: 'formats',
    cases: [
      fact(
        'a tool has an output schema',
        result('tools/list', undefined, {
          tools: some({ name: 'answer', outputSchema: { properties: { result: { type: 'number' } } } }),
        }),
      ),
      fact(
        'a definition has the output schema',
        result('tools/list', undefined, { tools: some({ name: 'lines', outputSchema: { type: 'object' } }) }),
      ),
      fact(
        'a result with text and structured content',
        result(
          'tools/call',
          { name: 'answer' },
          {
            content: first({ type: 'text', text: 'Result: 42' }),
            structuredContent: { result: 42, operation: 'test' },
          },
        ),
      ),
      fact(
        'a result with several blocks and structured content',
        result('tools/call', { name: 'lines' }, { content: size(2), structuredContent: { result: 42 } }),
      ),
    ],
  },
  {
    file: 'Mcp.Gateway.Tests/Unit/EventIdGeneratorTests.cs',
    server: 'dev',
    cases: [
      ...units(
        eventIds,
        'ids without a session are numbers',
        'ids of a session begin with it',
        'ids are unique when they are made at once',
        'ids increase',
        'no session stands for all',
        'an empty session stands for all',
      ),
      differs(
        'ids of sessions and others have one counter, and those of a session begin with it',
        {
          reason: 'choice',
          why: 'ids are unique within the session, as Streamable HTTP requires, and reveal no counts of other callers',
          ours: { events: first({ id: (id) => /^\d+-\d+$/.test(String(id)) }) },
        },
        { to: '/sse', send: request('system_ping'), expect: { events: first({ id: text }) } },
        openSession('/mcp'),
        { ...channel, reads: 1, expect: { events: first({ id: (id) => /^[\da-f-]{32,36}-\d+$/.test(String(id)) }) } },
      ),
      ...units(eventIds, 'ids of several sessions have one counter'),
    ],
  },
  {
    file: 'Mcp.Gateway.Tests/Unit/MessageBufferTests.cs',
    server: 'dev',
    cases: [
      ...units(
        buffers,
        'a new buffer is empty',
        'a buffer has a size',
        'a buffer of size zero is rejected',
        'a buffer of a negative size is rejected',
        'an added message counts',
        'a message without an id is rejected',
        'a message with an empty id is rejected',
        'no message is rejected',
      ),
      ...units(eventIds, 'messages keep their order'),
      ...units(buffers, 'the oldest message makes room'),
      ...units(
        eventIds,
        'without a last id, all messages are replayed',
        'with an empty last id, all messages are replayed',
      ),
      {
        ...fact(
          'messages after the last id are replayed',
          ...twoMessages,
          {
            ...channel,
            headers: { ...channel.headers, 'last-event-id': '{{opened}}' },
            reads: 2,
            expect: { events: [changed('tools'), changed('prompts')] },
            keep: { first: 'events.0.id' },
          },
          {
            ...channel,
            headers: { ...channel.headers, 'last-event-id': '{{first}}' },
            reads: 1,
            expect: { events: [changed('prompts')] },
          },
        ),
        server: 'changes',
      },
      ...units(eventIds, 'after the last message, nothing is replayed'),
      {
        ...differs(
          'after an unknown id, all messages are replayed',
          {
            reason: 'choice',
            why: 'Streamable HTTP, Resumability: messages after the last id are replayed; an unknown id has none after it',
            ours: { status: 400, body: { error: { message: contains('Last-Event-ID names no event') } } },
          },
          ...twoMessages,
          {
            ...channel,
            headers: { ...channel.headers, 'last-event-id': 'unknown' },
            reads: 2,
            expect: { status: 200, events: atLeast(2) },
          },
        ),
        server: 'changes',
      },
      ...units(
        buffers,
        'a buffer is cleared',
        'a message has id and time',
        'messages are added at once',
        'messages are read at once',
        'a session has a buffer',
      ),
    ],
  },
  {
    file: 'Mcp.Gateway.Tests/Unit/SessionServiceTests.cs',
    server: 'dev',
    cases: [
      differs(
        'an id has 32 hexadecimal digits',
        {
          reason: 'choice',
          why: 'the length of an id is no promise of the protocol: ours has more entropy than 32 hexadecimal digits',
          ours: { headers: { 'mcp-session-id': (id) => typeof id === 'string' && !/^[\da-f]{32}$/.test(id) } },
        },
        {
          to: '/mcp',
          send: request('initialize', {}),
          expect: { headers: { 'mcp-session-id': (id) => typeof id === 'string' && /^[\da-f]{32}$/.test(id) } },
        },
      ),
      ...units(
        sessions,
        'each session has its own id',
        'a session is valid',
        'an unknown session is invalid',
        'no session is invalid',
        'an empty session is invalid',
      ),
      unit('a message keeps its session alive', expiry, 'the time of a session; the test has its own clock'),
      ...units(expiry, 'an expired session is invalid', 'an expired session is removed'),
      ...units(sessions, 'a session is removed', 'an unknown session cannot be removed'),
      ...units(
        eventIds,
        'ids of events increase within a session',
        'an unknown session has no events',
        'ids of events are unique',
      ),
      ...units(sessions, 'a session has id, time and counter', 'an unknown session is not found'),
      ...units(buffers, 'sessions are counted'),
      ...units(expiry, 'only expired sessions are removed', 'without expired sessions, none is removed'),
    ],
  },
  {
    file: 'Mcp.Gateway.Tests/Unit/SseEventMessageTests.cs',
    server: 'dev',
    cases: [
      ...units(sseFrames, 'an event has id, type and data'),
      fact('the event done has empty data', {
        to: '/sse',
        send: request('system_ping'),
        expect: { events: last({ event: 'done', id: text, data: (data) => JSON.stringify(data) === '{}' }) },
      }),
      ...units(
        sseFrames,
        'the event error has a JSON-RPC error',
        'a keep-alive has no id',
        'an event may have a delay for a reconnect',
        'an event may have no type',
        'an event may have no delay',
      ),
    ],
  },
  {
    file: 'Mcp.Gateway.Tests/Unit/SseStreamRegistryTests.cs',
    server: 'dev',
    cases: [
      ...units(
        sessionStreams,
        'a stream is counted',
        'several streams of a session are counted',
        'streams of several sessions are counted',
        'a stream without a session is rejected',
        'a stream with an empty session is rejected',
        'no stream is rejected',
        'a stream is removed',
        'one of several streams is removed',
        'a stream without a session is not removed',
        'no stream is not removed',
        'a message without a session reaches no stream',
        'no message reaches no stream',
        'a message to an unknown session reaches no stream',
        'no session has no streams',
        'an unknown session has no streams',
      ),
      fact('the streams of a session end with it', openSession('/mcp'), {
        to: '/mcp',
        verb: 'DELETE',
        headers: channel.headers,
        // The stream ends, or this case does not.
        listens: true,
        expect: { status: 200, events: size(0) },
      }),
      ...units(
        sessionStreams,
        'streams of no session are not removed',
        'sessions with streams are counted',
        'a stream has a response and a signal',
      ),
    ],
  },
  {
    file: 'Mcp.Gateway.Tests/Unit/ToolNameGeneratorTests.cs',
    server: 'names',
    cases: [
      ...(
        [
          ['AddNumbers', 'add_numbers'],
          ['AddNumbersTool', 'add_numbers_tool'],
          ['GetUserById', 'get_user_by_id'],
          ['Ping', 'ping'],
        ] as const
      ).map(([method, name]) =>
        fact(`the method ${method} is the tool ${name}`, result('tools/list', undefined, { tools: some({ name }) })),
      ),
      ...['add_numbers', 'get_user_by_id'].map((name) => ({
        ...fact(`the method ${name} is the tool ${name}`, result('tools/list', undefined, { tools: some({ name }) })),
        server: 'snakeNames' as const,
      })),
      differs(
        'the method PING is the tool p_i_n_g',
        { ...renamed, ours: { body: { result: { tools: none({ name: 'p_i_n_g' }) } } } },
        result('tools/list', undefined, { tools: some({ name: 'p_i_n_g' }) }),
      ),
      differs(
        'the method HTTPRequest is the tool h_t_t_p_request',
        { ...renamed, ours: { body: { result: { tools: some({ name: 'http_request' }) } } } },
        result('tools/list', undefined, { tools: some({ name: 'h_t_t_p_request' }) }),
      ),
      unit('an empty name stays empty', names, 'a method of JavaScript has a name'),
      unit('no name stays none', names, 'a method of JavaScript has a name'),
      ...[
        'add_numbers_tool',
        'get_user_by_id',
        'ping',
        'add-numbers',
        'get_user-by_id',
        'an empty name',
        'no name',
      ].map((name) => unit(`the title of ${name}`, listTools, 'a function that MCP Gateway never calls')),
    ],
  },
]
