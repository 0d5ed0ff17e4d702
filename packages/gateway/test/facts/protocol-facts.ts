// The cases of MCP Gateway's main test project that send messages.
import { differs, error, type FactFile, fact, type Listed, request, result, type Step, unit } from './fact.js'
import {
  absent,
  atLeast,
  both,
  contains,
  either,
  every,
  first,
  json,
  last,
  least,
  list,
  none,
  numeric,
  object,
  type Pattern,
  present,
  size,
  some,
  text,
} from './pattern.js'

const version = { 'mcp-protocol-version': '2025-11-25' }
const initialized: Pattern = { protocolVersion: '2025-11-25', serverInfo: { name: 'mcp-gateway' } }
const pong: Pattern = { content: both(size(1), first({ type: 'text', text: json({ message: 'Pong' }) })) }

/** MCP Gateway's code for a tool that needs another transport. */
function otherTransport(transport: string): Listed {
  return {
    reason: 'specification',
    why: 'Tools, Error Handling: a tool that cannot be called has the code -32602. The message names the transport',
    ours: {
      body: { error: { code: -32602, message: both(contains(transport), contains('websocket')) } },
    },
  }
}

const timestamp = '2025-12-11T00:00:00Z'

/** A stream of three chunks to a tool. */
function upload(method: string): Step['frames'] {
  const meta = { method, binary: true, mime: 'application/octet-stream' }
  const chunks = ['Hello fr', 'om the c', 'lient!'].map((chunk, index) => ({ chunk, index }))
  const end = { type: 'done', id: 'upload-1', timestamp, summary: { uploaded: true } }
  return [{ type: 'start', id: 'upload-1', timestamp, meta }, ...chunks, end]
}

const streamOf = (direction: string, frames: Step['frames'], body: Pattern): FactFile => ({
  file: `Mcp.Gateway.Tests/Endpoints/Ws/Systems/BinaryStreams/Streams${direction}Tests.cs`,
  server: 'dev',
  cases: [
    fact(`a stream of bytes: ${direction.toLowerCase()}`, {
      to: '/ws',
      ...(frames === undefined ? {} : { frames }),
      expect: { body },
    }),
  ],
})

/** A request to `/sse`, with patterns for its events. */
function sse(method: string, params: object | undefined, pattern: Pattern): Step {
  return { to: '/sse', send: request(method, params), expect: pattern }
}

const badJson: Step['send'] = '{ this is not valid json }'

export const protocolFacts: readonly FactFile[] = [
  {
    file: 'Mcp.Gateway.Tests/Endpoints/Health/HealthTests.cs',
    server: 'dev',
    cases: [
      fact('health as JSON has status, time, version and machine', {
        to: '/health',
        verb: 'GET',
        headers: { accept: 'application/json' },
        expect: { status: 200, body: { status: 'Healthy', timestamp: isRecent, version: text, machine: text } },
      }),
      fact('health as text has the version in a header', {
        to: '/health',
        verb: 'GET',
        headers: { accept: 'text/plain' },
        expect: { status: 200, body: 'Healthy', headers: { 'x-app-version': text } },
      }),
      fact('health is not cached', {
        to: '/health',
        verb: 'GET',
        expect: {
          status: 200,
          headers: { 'cache-control': both(contains('no-store'), contains('no-cache')), pragma: 'no-cache' },
        },
      }),
    ],
  },
  {
    file: 'Mcp.Gateway.Tests/Endpoints/Http/McpProtocolTests.cs',
    server: 'dev',
    cases: [
      fact(
        'initialize without parameters',
        result('initialize', undefined, { ...initialized, capabilities: { tools: object } }),
      ),
      fact(
        'tools/list has tools with description and schema',
        result('tools/list', undefined, {
          tools: both(atLeast(3), some({ name: 'system_ping', description: text, inputSchema: { type: 'object' } })),
        }),
      ),
      fact(
        'tools/list over HTTP has no tools with streams',
        result('tools/list', undefined, {
          tools: both(none({ name: contains('binary_streams') }), some({ name: 'system_ping' })),
        }),
      ),
      fact(
        'tools/call of a tool without arguments',
        result('tools/call', { name: 'system_ping', arguments: {} }, pong),
      ),
      fact(
        'tools/call returns the arguments',
        result(
          'tools/call',
          { name: 'system_echo', arguments: { message: 'Hello' } },
          {
            content: first({ text: json({ message: 'Hello' }) }),
          },
        ),
      ),
      differs(
        'tools/call of a tool with streams over HTTP has the code -32601',
        otherTransport('http'),
        error(
          'tools/call',
          { name: 'system_binary_streams_in', arguments: {} },
          { code: -32601, message: contains('streaming') },
        ),
      ),
    ],
  },
  {
    file: 'Mcp.Gateway.Tests/Endpoints/Rpc/CalculatorTests.cs',
    server: 'dev',
    cases: [
      fact(
        'a tool as the method, with an id of the client',
        result('add_numbers', { number1: 1, number2: 2 }, { result: 3 }),
      ),
      fact('a tool as the method, again', result('add_numbers', { number1: 1, number2: 2 }, { result: 3 })),
      fact(
        'a tool as the method without its arguments names them',
        error(
          'add_numbers',
          {},
          {
            code: -32602,
            message: 'Invalid params',
            data: { detail: both(contains('number1'), contains('number2')) },
          },
        ),
      ),
      fact('a tool as the method without parameters', error('add_numbers', undefined, { code: -32602 })),
    ],
  },
  {
    file: 'Mcp.Gateway.Tests/Endpoints/Rpc/Systems/Echo/EchoTests.cs',
    server: 'dev',
    cases: [
      fact(
        'a tool as the method returns the bare value',
        result('system_echo', { message: 'Hi', uniqueGuid: 'f81d4fae' }, { message: 'Hi', uniqueGuid: 'f81d4fae' }),
      ),
    ],
  },
  {
    file: 'Mcp.Gateway.Tests/Endpoints/Rpc/Systems/Notification/NotificationTests.cs',
    server: 'dev',
    cases: [
      fact('a notification with the name of a tool has the status 204', {
        to: '/rpc',
        send: { jsonrpc: '2.0', method: 'system_notification', params: { message: 'Hi' } },
        expect: { status: 204 },
      }),
    ],
  },
  {
    file: 'Mcp.Gateway.Tests/Endpoints/Rpc/Systems/Ping/PingTests.cs',
    server: 'dev',
    cases: [fact('a tool as the method, without arguments', result('system_ping', {}, { message: 'Pong' }))],
  },
  {
    file: 'Mcp.Gateway.Tests/Endpoints/Sse/SseEventIdTests.cs',
    server: 'dev',
    cases: [
      fact(
        'events of an answer have ids',
        sse('system_ping', undefined, { status: 200, events: both(atLeast(2), every({ id: text })) }),
      ),
      fact(
        'ids of events increase',
        sse('system_ping', undefined, { status: 200, events: (value) => increases(value) }),
      ),
      fact(
        'events have types',
        sse('system_ping', undefined, { events: both(some({ event: 'message' }), some({ event: 'done' })) }),
      ),
      fact('each answer of a batch has its own id', {
        to: '/sse',
        send: [request('system_ping'), request('system_ping'), request('system_ping')],
        expect: { status: 200, events: both(atLeast(4), (value) => increases(value)) },
      }),
      fact('the last event has an id', sse('system_ping', undefined, { events: last({ event: 'done', id: text }) })),
      fact('malformed JSON is an event with an id', {
        to: '/sse',
        send: badJson,
        expect: { status: 200, events: some({ event: 'error', id: text }) },
      }),
    ],
  },
  {
    file: 'Mcp.Gateway.Tests/Endpoints/Sse/SseProtocolTests.cs',
    server: 'dev',
    cases: [
      fact(
        'initialize at /sse',
        sse('initialize', undefined, {
          status: 200,
          type: 'text/event-stream; charset=utf-8',
          events: first({ data: { result: initialized } }),
        }),
      ),
      fact(
        'tools/list at /sse',
        sse('tools/list', undefined, {
          events: first({ data: { result: { tools: both(atLeast(6), some({ name: 'system_ping' })) } } }),
        }),
      ),
      fact(
        'tools/call at /sse',
        sse('tools/call', { name: 'system_ping', arguments: {} }, { events: first({ data: { result: pong } }) }),
      ),
      fact('the event done ends the answer', sse('system_ping', undefined, { events: last({ event: 'done' }) })),
      fact(
        'the answer is an event stream that is not cached',
        sse('system_ping', undefined, {
          type: 'text/event-stream; charset=utf-8',
          headers: { 'cache-control': contains('no-cache') },
        }),
      ),
      fact('a batch at /sse has an event for each answer', {
        to: '/sse',
        send: [request('system_ping'), request('system_echo', { message: 'test' })],
        expect: { status: 200, events: atLeast(3) },
      }),
      fact('malformed JSON at /sse is a JSON-RPC error', {
        to: '/sse',
        send: badJson,
        expect: { status: 200, events: first({ data: { error: { code: -32700 } } }) },
      }),
    ],
  },
  {
    file: 'Mcp.Gateway.Tests/Endpoints/Stdio/StdioProtocolTests.cs',
    server: 'dev',
    cases: [
      fact('initialize over stdio', {
        to: 'stdio',
        send: request('initialize'),
        expect: { body: { result: initialized } },
      }),
      fact('tools/list over stdio', {
        to: 'stdio',
        send: request('tools/list'),
        expect: { body: { result: { tools: both(atLeast(6), some({ name: 'system_ping' })) } } },
      }),
      fact('tools/call over stdio', {
        to: 'stdio',
        send: request('tools/call', { name: 'system_ping', arguments: {} }),
        expect: { body: { result: pong } },
      }),
      differs('a tool with streams over stdio has the code -32601', otherTransport('stdio'), {
        to: 'stdio',
        send: request('tools/call', { name: 'system_binary_streams_in', arguments: {} }),
        expect: { body: { error: { code: -32601, message: contains('streaming') } } },
      }),
      fact('a tool as the method over stdio', {
        to: 'stdio',
        send: request('system_echo', { message: 'Hello' }),
        expect: { body: { result: { message: 'Hello' } } },
      }),
      fact('a notification with the name of a tool has no answer over stdio', {
        to: 'stdio',
        send: { jsonrpc: '2.0', method: 'system_notification', params: { message: 'Hi' } },
        expect: { body: absent },
      }),
    ],
  },
  {
    file: 'Mcp.Gateway.Tests/Endpoints/StreamableHttp/McpEndpointTests.cs',
    server: 'dev',
    cases: [
      differs(
        'initialize at /mcp is JSON, with a session id of 32 digits',
        {
          reason: 'choice',
          why: 'the length of an id is no promise of the protocol: ours has more entropy than 32 hexadecimal digits',
          ours: { status: 200, type: contains('application/json'), headers: { 'mcp-session-id': text } },
        },
        {
          to: '/mcp',
          headers: version,
          send: request('initialize'),
          expect: { status: 200, type: contains('application/json'), headers: { 'mcp-session-id': hasLength(32) } },
        },
      ),
      fact('tools/list at /mcp without a session', {
        to: '/mcp',
        headers: version,
        send: request('tools/list'),
        expect: { status: 200, body: { result: { tools: atLeast(1) } } },
      }),
      fact('an unknown session has the status 404', {
        to: '/mcp',
        headers: { ...version, 'mcp-session-id': 'invalid-session-id' },
        send: request('tools/list'),
        expect: { status: 404 },
      }),
      fact('malformed JSON has the status 400', {
        to: '/mcp',
        headers: version,
        send: 'invalid json',
        expect: { status: 400 },
      }),
      differs(
        'GET without a session has the status 400',
        {
          reason: 'choice',
          why: 'Streamable HTTP allows 400 for a missing session, and 405 of a server without a stream at this point',
          ours: { status: 405 },
        },
        { to: '/mcp', verb: 'GET', headers: { ...version, accept: 'text/event-stream' }, expect: { status: 400 } },
      ),
      fact('GET with an unknown session has the status 404', {
        to: '/mcp',
        verb: 'GET',
        headers: { ...version, accept: 'text/event-stream', 'mcp-session-id': 'invalid-session-id' },
        expect: { status: 404 },
      }),
      fact('GET with a session opens a stream', openSession('/mcp'), {
        to: '/mcp',
        verb: 'GET',
        headers: { ...version, accept: 'text/event-stream', 'mcp-session-id': '{{session}}' },
        expect: { status: 200, type: contains('text/event-stream') },
      }),
      fact('DELETE without a session has the status 400', {
        to: '/mcp',
        verb: 'DELETE',
        headers: version,
        expect: { status: 400 },
      }),
      fact('DELETE with an unknown session has the status 404', {
        to: '/mcp',
        verb: 'DELETE',
        headers: { ...version, 'mcp-session-id': 'invalid-session-id' },
        expect: { status: 404 },
      }),
      differs(
        'DELETE ends a session, with the status 204',
        {
          reason: 'choice',
          why: 'Streamable HTTP, Session Management names no status for DELETE: ours is 200, as that of the official SDK',
          heldBy: 'packages/fastify/test/sessions/sessions.test.ts',
          step: 1,
          ours: { status: 200 },
        },
        openSession('/mcp'),
        {
          to: '/mcp',
          verb: 'DELETE',
          headers: { ...version, 'mcp-session-id': '{{session}}' },
          expect: { status: 204 },
        },
        {
          to: '/mcp',
          headers: { ...version, 'mcp-session-id': '{{session}}' },
          send: request('tools/list'),
          expect: { status: 404 },
        },
      ),
      fact('each answer in a session names it', openSession('/mcp'), {
        to: '/mcp',
        headers: { ...version, 'mcp-session-id': '{{session}}' },
        send: request('tools/list'),
        expect: { status: 200, headers: { 'mcp-session-id': '{{session}}' } },
      }),
    ],
  },
  streamOf('Duplex', upload('system_binary_streams_duplex'), {
    messages: both(atLeast(2), some({ type: 'start', meta: { method: 'result_echo' } }), some({ type: 'done' })),
    chunks: least(1),
  }),
  streamOf('In', upload('system_binary_streams_in'), {
    messages: last({ type: 'done', id: 'upload-1', summary: { bytesReceived: 22 } }),
  }),
  streamOf('Out', [request('system_binary_streams_out')], {
    messages: both(atLeast(2), first({ type: 'start' }), last({ type: 'done' })),
    chunks: least(1),
  }),
  {
    file: 'Mcp.Gateway.Tests/Endpoints/Ws/Systems/Echo/EchoTests.cs',
    server: 'dev',
    cases: [
      fact('a tool as the method over WebSocket', {
        to: '/ws',
        send: request('system_echo', { message: 'Hi', uniqueGuid: 'f81d4fae' }),
        expect: { body: { result: { message: 'Hi' } } },
      }),
    ],
  },
  {
    file: 'Mcp.Gateway.Tests/Endpoints/Ws/Systems/Notification/NotificationTests.cs',
    server: 'dev',
    cases: [
      fact('a notification with the name of a tool has no answer over WebSocket', {
        to: '/ws',
        send: { jsonrpc: '2.0', method: 'system_notification', params: { message: 'Hi' } },
        expect: { body: absent },
      }),
    ],
  },
  {
    file: 'Mcp.Gateway.Tests/Endpoints/Ws/Systems/Ping/PingTests.cs',
    server: 'dev',
    cases: [
      fact('a tool as the method over WebSocket, without arguments', {
        to: '/ws',
        send: request('system_ping', {}),
        expect: { body: { result: { message: 'Pong' } } },
      }),
    ],
  },
  {
    file: 'Mcp.Gateway.Tests/Formatters/FormattedToolsListIntegrationTests.cs',
    server: 'dev',
    cases: [
      fact('tools/list/ollama', {
        to: '/rpc',
        send: request('tools/list/ollama', undefined, 1),
        expect: {
          status: 200,
          body: {
            jsonrpc: '2.0',
            id: 1,
            result: {
              tools: first({
                type: 'function',
                function: {
                  name: text,
                  description: text,
                  parameters: { type: 'object', properties: object, required: either(list, absent) },
                },
              }),
            },
          },
        },
      }),
      fact('tools/list/microsoft-ai', {
        to: '/rpc',
        send: request('tools/list/microsoft-ai', undefined, 2),
        expect: {
          status: 200,
          body: { id: 2, result: { tools: first({ name: text, description: text, parameters: object }) } },
        },
      }),
      fact(
        'tools/list/mcp',
        result('tools/list/mcp', undefined, { tools: first({ name: text, description: text, inputSchema: object }) }),
      ),
      fact('an unknown format names the supported ones', {
        to: '/rpc',
        send: request('tools/list/unknown-format', undefined, 4),
        expect: {
          status: 200,
          body: {
            id: 4,
            error: {
              code: -32601,
              message: 'Unknown format',
              data: { supportedFormats: both(some('ollama'), some('microsoft-ai'), some('mcp')) },
            },
          },
        },
      }),
      fact(
        'tools/list beside the formats',
        result('tools/list', undefined, { tools: first({ name: text, description: text, inputSchema: object }) }),
      ),
      fact(
        'formats have no tools with streams either',
        result('tools/list/ollama', undefined, { tools: none({ function: { name: contains('binary_streams') } }) }),
      ),
      fact(
        'a format has as many tools as tools/list',
        {
          to: '/rpc',
          send: request('tools/list'),
          expect: { status: 200 },
          keep: { count: 'body.result.tools.length' },
        },
        result('tools/list/ollama', undefined, { tools: { length: '{{count}}' } }),
      ),
    ],
  },
]

export const versionFacts: FactFile = {
  file: 'Mcp.Gateway.Tests/Unit/McpProtocolVersionMiddlewareTests.cs',
  server: 'dev',
  cases: [
    fact('the newest version in the header', listWith(version, 200)),
    fact('an older version in the header', listWith({ 'mcp-protocol-version': '2025-06-18' }, 200)),
    fact('an unknown version has the status 400, as JSON', {
      ...listWith({ 'mcp-protocol-version': '2024-01-01' }, 400),
      expect: { status: 400, type: contains('application/json') },
    }),
    fact('an unknown version is named, with the supported ones', {
      ...listWith({ 'mcp-protocol-version': '2024-01-01' }, 400),
      expect: {
        status: 400,
        body: (value) =>
          ['nsupported', '2024-01-01', '2025-11-25', '2025-06-18'].every((part) =>
            JSON.stringify(value).includes(part),
          ),
      },
    }),
    fact('no version stands for the oldest with this transport', listWith({}, 200)),
    fact('other paths do not look at the version', {
      to: '/rpc',
      headers: { 'mcp-protocol-version': 'invalid-version' },
      send: request('tools/list'),
      expect: { status: 200 },
    }),
    differs(
      'an empty version is none',
      {
        reason: 'specification',
        why: 'transports, Protocol Version Header: a server answers an invalid version with 400',
        ours: { status: 400 },
      },
      listWith({ 'mcp-protocol-version': '' }, 200),
    ),
    unit(
      'the version is handed to the application',
      'packages/core/test/calls/context.test.ts',
      'a member of HttpContext',
    ),
    fact('names of headers ignore case', listWith({ 'MCP-PROTOCOL-version': '2025-11-25' }, 200)),
  ],
}

/** MCP Gateway sends a GET to a server that only checks the version. Ours needs a request that it can serve. */
function listWith(headers: Readonly<Record<string, string>>, status: number): Step {
  return { to: '/mcp', headers, send: request('tools/list'), expect: { status } }
}

export function openSession(to: string): Step {
  return {
    to,
    headers: version,
    send: request('initialize'),
    expect: { status: 200, headers: { 'mcp-session-id': present } },
    keep: { session: 'headers.mcp-session-id' },
  }
}

function isRecent(value: unknown): boolean {
  return typeof value === 'string' && Math.abs(Date.now() - Date.parse(value)) < 60_000
}

function increases(value: unknown): boolean {
  const ids = (value as readonly { readonly id: string }[]).map(({ id }) => Number(id))
  return (
    ids.length > 1 &&
    ids.every((id, index) => least(index === 0 ? 1 : (ids[index - 1] as number) + 1)(id) && numeric(id))
  )
}

function hasLength(length: number): (value: unknown) => boolean {
  return (value) => typeof value === 'string' && value.length === length
}
