// The cases of MCP Gateway's test projects for its samples.
import {
  differs,
  error,
  type Fact,
  type FactFile,
  fact,
  type Listed,
  request,
  result,
  type Step,
  unit,
} from './fact.js'
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
  size,
  some,
  text,
} from './pattern.js'

const initialized: Pattern = { protocolVersion: '2025-11-25', serverInfo: { name: 'mcp-gateway' } }
const metricsOf = (tool: string, pattern: Pattern): Step => ({
  to: '/metrics',
  verb: 'GET',
  expect: { status: 200, body: { metrics: some(both({ tool }, pattern)) } },
})
const call = (name: string, args: object): Step => ({
  to: '/rpc',
  send: request('tools/call', { name, arguments: args }),
  expect: {},
})

/** A call with a token, or without one. */
function callAs(token: string | null, name: string, args: object, expected: Pattern): Step {
  const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` }
  return { to: '/rpc', headers, send: request('tools/call', { name, arguments: args }), expect: expected }
}

/** Messages of MCP Gateway's client before its first request over HTTP. */
const connect: readonly Step[] = [
  {
    to: '/mcp',
    send: request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'mcp-dotnet-client', version: '1.0.0' },
    }),
    expect: { status: 200, body: { result: object } },
    keep: { session: 'headers.mcp-session-id' },
  },
  {
    to: '/mcp',
    headers: { 'mcp-session-id': '{{session}}' },
    send: { jsonrpc: '2.0', method: 'notifications/initialized' },
    expect: (answer) => [200, 202].includes((answer as { readonly status: number }).status),
  },
]

/** A request of MCP Gateway's client, in a session. */
function inSession(about: string, ...requests: readonly Step[]): Fact {
  const sessioned = requests.map((step) => ({ ...step, to: '/mcp', headers: { 'mcp-session-id': '{{session}}' } }))
  return fact(about, ...connect, ...sessioned)
}

/** A request of MCP Gateway's client over WebSocket. */
function overWebSocket(about: string, method: string, params: object | undefined, pattern: Pattern): Fact {
  return fact(about, { to: '/ws', send: request(method, params), expect: { body: { result: pattern } } })
}

const letter = (name: string, behavior: string): Step =>
  result(
    'prompts/get',
    { name: 'santa_report_prompt', arguments: { name, behavior } },
    {
      messages: both(
        every({ content: { type: 'text', text } }),
        last({ content: { text: `Send a letter to Santa Claus and tell him that ${name} has behaved ${behavior}.` } }),
      ),
    },
  )

const version = { 'mcp-protocol-version': '2025-11-25' }

/** A subscription without a session: MCP Gateway's tests accept an error with the code -32000. */
function subscribe(method: string, params: object, ...expected: readonly Pattern[]): Step {
  return {
    to: '/mcp',
    headers: version,
    send: request(method, params),
    expect: { status: 200, body: either({ result: object }, ...expected.map((one) => ({ error: one }))) },
  }
}

const needsSession: Listed = {
  reason: 'specification',
  why: 'Streamable HTTP, Session Management: only initialize assigns a session; servers should answer others with 400',
  heldBy: 'packages/core/test/catalog/changes.test.ts',
  ours: { status: 400, body: { error: { code: -32600, message: contains('session') } } },
}

const usersJson = { uri: 'file://data/users.json' }

export const sampleFacts: readonly FactFile[] = [
  {
    file: 'Examples/AuthorizationMcpServerTests/Authorization/AuthorizationTests.cs',
    server: 'authorization',
    cases: [
      differs(
        'no token has the status 401, and the code -32000',
        {
          reason: 'choice',
          why: 'the specification names no code for a missing token; the status 401 and WWW-Authenticate say the same',
          ours: { status: 401, headers: { 'www-authenticate': contains('Bearer') }, body: { error: { code: -32600 } } },
        },
        callAs(
          null,
          'delete_user',
          { userId: 'user-123' },
          { status: 401, body: { error: { code: -32000, message: 'Unauthorized' } } },
        ),
      ),
      differs(
        'an unknown token has the status 403',
        {
          reason: 'specification',
          why: 'Authorization, Token Handling: invalid or expired tokens receive 401',
          ours: { status: 401, headers: { 'www-authenticate': contains('invalid_token') } },
        },
        callAs(
          'invalid-token',
          'delete_user',
          { userId: 'user-123' },
          { status: 403, body: { error: { code: -32002, message: 'Forbidden' } } },
        ),
      ),
      fact(
        'an administrator deletes a user',
        callAs(
          'admin-token-123',
          'delete_user',
          { userId: 'user-123' },
          {
            status: 200,
            body: { result: { content: first({ text: json({ deleted: true, userId: 'user-123' }) }) } },
          },
        ),
      ),
      differs(
        'a user who may not delete gets the code -32603 with status 200',
        {
          reason: 'specification',
          why: 'Authorization, Error Handling: insufficient permissions receive 403; -32603 would be a fault of the server',
          ours: { status: 403, body: { error: { code: -32600, message: contains('orbidden') } } },
        },
        callAs(
          'user-token-456',
          'delete_user',
          { userId: 'user-123' },
          {
            status: 200,
            body: { error: { code: -32603, data: { detail: contains('delete_user') } } },
          },
        ),
      ),
      fact(
        'one of several roles suffices',
        callAs('manager-token-789', 'create_user', { username: 'newuser' }, { status: 200, body: { result: object } }),
      ),
      differs(
        'a tool for everyone needs a token',
        {
          reason: 'defect',
          why: 'the test says that the tool succeeds without a token, and expects 401: the token check runs first',
          ours: { status: 200, body: { result: object } },
        },
        callAs(null, 'get_public_info', {}, { status: 401 }),
      ),
      fact(
        'a tool for everyone, with a token',
        callAs('public-token-000', 'get_public_info', {}, { status: 200, body: { result: object } }),
      ),
      differs(
        'health needs no token, and its status is in lower case',
        {
          reason: 'choice',
          why: 'MCP Gateway itself has Healthy; this sample has its own route. Ours is the status of the package',
          ours: { status: 200, body: { status: 'Healthy' } },
        },
        {
          to: '/health',
          verb: 'GET',
          headers: { accept: 'application/json' },
          expect: { status: 200, body: { status: 'healthy' } },
        },
      ),
    ],
  },
  {
    file: 'Examples/CalculatorMcpServerTests/Tools/CalculatorToolTests.cs',
    server: 'calculator',
    cases: [
      fact(
        'a typed tool as the method has structured content',
        result('add_numbers', { number1: 5, number2: 10 }, { structuredContent: { result: 15 } }),
      ),
      fact(
        'a typed tool as the method at /mcp',
        result('add_numbers', { number1: 5, number2: 10 }, { structuredContent: { result: 15 } }, { to: '/mcp' }),
      ),
      fact('an untyped tool as the method over WebSocket is the bare value', {
        to: '/ws',
        send: request('multiply_numbers', { number1: 5, number2: 10 }),
        expect: { body: { result: { result: 50 } } },
      }),
    ],
  },
  {
    file: 'Examples/CalculatorMcpServerTests/Tools/SecretGeneratorTests.cs',
    server: 'calculator',
    cases: [
      fact('an enum as an argument', result('generate_secret', { format: 'Base64' }, { secret: text })),
      fact(
        'an enum as an argument of a typed tool',
        result('generate_super_secret', { format: 'Base64' }, { structuredContent: { secret: text } }),
      ),
    ],
  },
  {
    file: 'Examples/CalculatorMcpServerTests/Tools/ToolListTests.cs',
    server: 'calculator',
    cases: [
      fact(
        'a listed tool has description, icon, and a schema with descriptions and required fields',
        result('tools/list', undefined, {
          tools: both(
            atLeast(2),
            some({
              name: 'add_numbers',
              description: text,
              icons: both(size(1), first({ src: 'https://example.com/icons/calculator.png' })),
              inputSchema: {
                type: 'object',
                properties: {
                  number1: { type: 'number', description: text },
                  number2: { type: 'number', description: text },
                },
                required: both(some('number1'), some('number2')),
              },
            }),
          ),
        }),
      ),
      fact(
        'an enum is a string with its values',
        result('tools/list', undefined, {
          tools: some({
            name: 'generate_secret',
            description: text,
            inputSchema: {
              type: 'object',
              properties: {
                format: {
                  type: 'string',
                  description: 'Format of the secret.',
                  enum: both(size(3), some('Guid'), some('Hex'), some('Base64')),
                },
              },
              required: some('format'),
            },
          }),
        }),
      ),
      fact(
        'a tool has one icon',
        result('tools/list', undefined, {
          tools: some({
            name: 'add_numbers',
            icons: both(size(1), first({ src: 'https://example.com/icons/calculator.png' })),
          }),
        }),
      ),
      fact(
        'a typed tool has an output schema',
        result('tools/list', undefined, {
          tools: some({
            name: 'add_numbers',
            outputSchema: { type: 'object', properties: { result: { type: 'number' } } },
          }),
        }),
      ),
      fact(
        'a typed tool has text and structured content',
        result(
          'tools/call',
          { name: 'add_numbers', arguments: { number1: 5, number2: 3 } },
          {
            content: first({ type: 'text', text: contains('8') }),
            structuredContent: { result: 8 },
          },
        ),
      ),
      fact(
        'a tool without an icon has no member for it',
        result('tools/list', undefined, { tools: some({ name: 'multiply_numbers', icons: absent }) }),
      ),
    ],
  },
  {
    file: 'Examples/ClientTestMcpServerTests/EpPrompts/SantaPromptTests.cs',
    server: 'clientTest',
    cases: [
      inSession('prompts are listed', result('prompts/list', {}, { prompts: every({ name: text }) })),
      overWebSocket('prompts are listed over WebSocket', 'prompts/list', {}, { prompts: every({ name: text }) }),
      inSession('a prompt with arguments', letter('Lise', 'Good')),
      inSession('a prompt with a dictionary of arguments', letter('Ola', 'Naughty')),
      inSession('a prompt with typed arguments', letter('Ola', 'Naughty')),
    ],
  },
  {
    file: 'Examples/ClientTestMcpServerTests/EpResources/DynamicResourceTests.cs',
    server: 'clientTest',
    cases: [
      inSession(
        'a resource is added, listed, read and removed',
        result(
          'tools/call',
          { name: 'add-test-resource' },
          { content: first({ text: json({ message: 'All resources added.' }) }) },
        ),
        result('resources/list', {}, { resources: some({ name: 'Test Resource 1' }) }),
        result('resources/read', { uri: 'dynamic://test/resource1' }, { contents: first({ text }) }),
        result(
          'tools/call',
          { name: 'remove-test-resource' },
          { content: first({ text: json({ message: 'Resource removed.' }) }) },
        ),
        result('resources/list', {}, { resources: none({ name: 'Test Resource 1' }) }),
      ),
    ],
  },
  {
    file: 'Examples/ClientTestMcpServerTests/EpResources/SystemResourceTests.cs',
    server: 'clientTest',
    cases: [
      inSession('resources are listed', result('resources/list', {}, { resources: every({ name: text }) })),
      overWebSocket('resources are listed over WebSocket', 'resources/list', {}, { resources: every({ name: text }) }),
      inSession(
        'a resource has metadata',
        result(
          'resources/read',
          { uri: 'system://status' },
          {
            contents: size(1),
            _meta: { 'tools.gateway.mcp/status': 'Hello World' },
          },
        ),
      ),
    ],
  },
  {
    file: 'Examples/ClientTestMcpServerTests/EpTools/CalculatorToolTests.cs',
    server: 'clientTest',
    cases: [
      inSession(
        'a tool is called',
        result('tools/call', { name: 'add_numbers', arguments: { number1: 5, number2: 10 } }, { content: list }),
      ),
      inSession('tools are listed', result('tools/list', {}, { tools: every(object) })),
      differs(
        'a call over WebSocket sends two notifications without a token of the client',
        {
          reason: 'specification',
          why: 'Progress: notifications refer to the progressToken of a request, which the client has not sent',
          heldBy: 'packages/core/test/calls/progress.test.ts',
          ours: { body: { result: object }, events: size(0) },
        },
        {
          to: '/ws',
          send: request('tools/call', { name: 'add_numbers_notification', arguments: { number1: 5, number2: 10 } }),
          expect: { body: { result: object }, events: size(2) },
        },
      ),
      differs(
        'a call over HTTP sends two notifications on the stream of the session',
        {
          reason: 'specification',
          why: 'Progress: notifications refer to the progressToken of a request, and are sent on the stream of its answer',
          heldBy: 'packages/fastify/test/streams/call-streams.test.ts',
          ours: { body: { result: object }, events: size(0) },
        },
        ...connect,
        {
          to: '/mcp',
          headers: { 'mcp-session-id': '{{session}}' },
          // The first event of the stream has only an id.
          listens: true,
          send: request('tools/call', { name: 'add_numbers_notification', arguments: { number1: 5, number2: 10 } }),
          expect: { body: { result: object }, events: size(2) },
        },
      ),
    ],
  },
  {
    file: 'Examples/ClientTestMcpServerTests/EpTools/StdioTests.cs',
    server: 'clientTest',
    cases: [
      unit(
        'the client reads a message from a stream',
        'packages/core/test/transports/stdio.test.ts',
        'the transport of the C# client',
      ),
      unit(
        'the client writes a message to a stream',
        'packages/core/test/transports/stdio.test.ts',
        'the transport of the C# client',
      ),
      fact('a tool is called over stdio', {
        to: 'stdio',
        send: request('tools/call', { name: 'add_numbers', arguments: { number1: 5, number2: 10 } }),
        expect: { body: { result: { content: list } } },
      }),
    ],
  },
  {
    file: 'Examples/ClientTestMcpServerTests/SystemPingTests.cs',
    server: 'clientTest',
    cases: [
      inSession('a ping', result('ping', undefined, object)),
      overWebSocket('a ping over WebSocket', 'ping', undefined, object),
    ],
  },
  {
    file: 'Examples/ClientTestMcpServerTests/Tools/StreamingToolTests.cs',
    server: 'clientTest',
    cases: [
      differs(
        'a call has ten responses with one id',
        {
          reason: 'specification',
          why: 'JSON-RPC 2.0, Response object: a request has one response. Ours sends progress, and one result',
          heldBy: 'packages/core/test/calls/progress.test.ts',
          ours: { status: 200, body: { result: { content: first({ text: json({ result: 10 }) }) } } },
        },
        {
          to: '/mcp',
          send: request('tools/call', { name: 'count_to_10', arguments: {} }),
          expect: { status: 200, body: (value) => String(value).split('\n').length === 10 },
        },
      ),
    ],
  },
  {
    file: 'Examples/DateTimeMcpServerTests/Tools/DateTimeToolTests.cs',
    server: 'dateTime',
    cases: [
      fact(
        'the current time fits its parts',
        result('get_current_datetime', { timezoneName: null }, (value) => {
          const { datetime, year, month, day } = (value ?? {}) as Record<string, unknown>
          const [date] = String(datetime).split('T')
          return date === [year, month, day].map((part) => String(part).padStart(2, '0')).join('-')
        }),
      ),
      fact(
        'the current time in UTC',
        result(
          'get_iso8601_timestamp',
          {},
          { timestamp: (value) => String(value).endsWith('Z') && Number.isFinite(Date.parse(String(value))) },
        ),
      ),
      fact(
        'days are added',
        result(
          'add_days',
          { date: '2025-12-11', days: 5 },
          { original: '2025-12-11', result: '2025-12-16', daysAdded: 5 },
        ),
      ),
      fact('a Saturday', result('is_weekend', { date: '2025-12-13' }, { date: '2025-12-13', isWeekend: true })),
      fact(
        'the ISO week of a date',
        result('get_weeknumber', { date: '2025-12-11' }, { date: '2025-12-11', weekNumber: 50, year: 2025 }),
      ),
    ],
  },
  ...['MEAIIntegration', 'OllamaIntegration'].map((sample) => ({
    file: `Examples/${sample}Tests/Tools/SecretGeneratorTests.cs`,
    server: 'ollama' as const,
    cases: [fact('a secret', result('generate_secret', { format: 'hex' }, { secret: text }))],
  })),
  ...['MEAIIntegration', 'OllamaIntegration'].map((sample) => ({
    file: `Examples/${sample}Tests/Tools/TellOllamaTests.cs`,
    server: 'ollama' as const,
    cases: [fact('a model calls a tool', result('tell_ollama', { format: 'base64' }, { response: text }))],
  })),
  {
    file: 'Examples/MetricsMcpServerTests/Metrics/MetricsEndpointTests.cs',
    server: 'metrics',
    cases: [
      fact(
        'a call is counted',
        call('add', { a: 5, b: 3 }),
        metricsOf('add', { invocations: least(1), successes: least(1), failures: 0 }),
      ),
      differs(
        'a failure is counted by the name of its error, TargetInvocationException',
        {
          reason: 'defect',
          why: 'the name of a wrapper of .NET hides that of the error; ours counts ToolError',
          ours: { body: { metrics: some({ tool: 'divide', failures: least(1), errors: { ToolError: least(1) } }) } },
        },
        call('divide', { a: 10, b: 0 }),
        metricsOf('divide', { failures: least(1), errors: { TargetInvocationException: least(1) } }),
      ),
      fact(
        'the rate of successes is a percentage',
        call('add', { a: 1, b: 2 }),
        call('add', { a: 1, b: 2 }),
        metricsOf('add', { successRate: (value) => typeof value === 'number' && value >= 0 && value <= 100 }),
      ),
      fact(
        'durations are in milliseconds',
        call('slow_operation', { delayMs: 50 }),
        metricsOf('slow_operation', { avgDuration: least(49), minDuration: numeric, maxDuration: least(49) }),
      ),
    ],
  },
  {
    file: 'Examples/NotificationMcpServerTests/Notifications/NotificationCapabilitiesTests.cs',
    server: 'notifications',
    cases: [
      differs(
        'initialize at /rpc promises notifications of tools only',
        {
          reason: 'defect',
          why: 'plain HTTP cannot send notifications; ours promises them where they can be sent',
          ours: {
            body: {
              result: {
                ...initialized,
                capabilities: { tools: { listChanged: absent }, prompts: absent, resources: absent },
              },
            },
          },
        },
        result('initialize', undefined, {
          ...initialized,
          capabilities: { tools: { listChanged: true }, prompts: absent, resources: absent },
        }),
      ),
      fact(
        'tools are listed, one of them with the name of a method of the protocol',
        result('tools/list', undefined, {
          tools: both(atLeast(3), some({ name: 'ping' }), some({ name: 'echo' }), some({ name: 'get_time' })),
        }),
      ),
      fact('a route notifies of changed tools', {
        to: '/api/notify/tools',
        expect: { status: 200, body: { message: contains('tools/list_changed') } },
      }),
      fact('a route notifies of changed prompts', {
        to: '/api/notify/prompts',
        expect: { status: 200, body: { message: contains('prompts/list_changed') } },
      }),
      fact('a route notifies of updated resources', {
        to: '/api/notify/resources',
        expect: { status: 200, body: { message: contains('resources/updated') } },
      }),
      differs(
        'initialize at /rpc promises one kind of notifications',
        {
          reason: 'defect',
          why: 'plain HTTP cannot send notifications; ours promises them where they can be sent',
          ours: { body: { result: { capabilities: { tools: { listChanged: absent } } } } },
        },
        result('initialize', undefined, {
          capabilities: { tools: { listChanged: true }, prompts: absent, resources: absent },
        }),
      ),
      fact(
        'features that are not served can be notified of',
        { to: '/api/notify/prompts', expect: { status: 200 } },
        { to: '/api/notify/resources', expect: { status: 200 } },
      ),
    ],
  },
  {
    file: 'Examples/NotificationMcpServerTests/UnitTest1.cs',
    server: 'notifications',
    cases: [unit('nothing', 'packages/core/test/catalog/changes.test.ts', 'an empty test from a template')],
  },
  {
    file: 'Examples/PaginationMcpServerTests/Pagination/PromptsPaginationTests.cs',
    server: 'pagination',
    cases: [
      fact(
        'a page of 10 prompts',
        result('prompts/list', { pageSize: 10 }, { prompts: both(size(10), first({ name: text })), nextCursor: text }),
      ),
      fact(
        'a second page of 25 prompts is the last',
        {
          ...result('prompts/list', { pageSize: 25 }, { nextCursor: text }),
          keep: { cursor: 'body.result.nextCursor' },
        },
        result('prompts/list', { cursor: '{{cursor}}', pageSize: 25 }, { prompts: size(25), nextCursor: absent }),
      ),
    ],
  },
  {
    file: 'Examples/PaginationMcpServerTests/Pagination/ResourcesPaginationTests.cs',
    server: 'pagination',
    cases: [
      fact(
        'a page of 10 resources',
        result(
          'resources/list',
          { pageSize: 10 },
          {
            resources: both(size(10), first({ uri: contains('mock://resource/'), mimeType: 'application/json' })),
            nextCursor: text,
          },
        ),
      ),
      fact(
        'a second page of 10 resources is the last',
        {
          ...result('resources/list', { pageSize: 10 }, { nextCursor: text }),
          keep: { cursor: 'body.result.nextCursor' },
        },
        result('resources/list', { cursor: '{{cursor}}', pageSize: 10 }, { resources: size(10), nextCursor: absent }),
      ),
    ],
  },
  {
    file: 'Examples/PaginationMcpServerTests/Pagination/ToolsPaginationTests.cs',
    server: 'pagination',
    cases: [
      fact(
        'the first page has 100 tools',
        result('tools/list', undefined, {
          tools: both(size(100), first({ name: 'mock_tool_001' }), last({ name: 'mock_tool_100' })),
          nextCursor: text,
        }),
      ),
      fact(
        'the second page has the others',
        { ...result('tools/list', undefined, { nextCursor: text }), keep: { cursor: 'body.result.nextCursor' } },
        result(
          'tools/list',
          { cursor: '{{cursor}}' },
          {
            tools: both(size(20), first({ name: 'mock_tool_101' }), last({ name: 'mock_tool_120' })),
            nextCursor: absent,
          },
        ),
      ),
      fact(
        'a page of 10 tools',
        result(
          'tools/list',
          { pageSize: 10 },
          {
            tools: both(size(10), first({ name: 'mock_tool_001' }), last({ name: 'mock_tool_010' })),
            nextCursor: text,
          },
        ),
      ),
      differs(
        'an invalid cursor stands for the first page',
        {
          reason: 'specification',
          why: 'Pagination, Error Handling: an invalid cursor should result in the error -32602',
          ours: { body: { error: { code: -32602 } } },
        },
        result('tools/list', { cursor: 'invalid_cursor_12345' }, { tools: first({ name: 'mock_tool_001' }) }),
      ),
      fact(
        'a page may have all tools',
        result('tools/list', { pageSize: 200 }, { tools: size(120), nextCursor: absent }),
      ),
    ],
  },
  {
    file: 'Examples/PromptMcpServerTests/Prompts/McpProtocolTests.cs',
    server: 'prompts',
    cases: [
      fact(
        'initialize declares tools and prompts',
        result('initialize', undefined, { ...initialized, capabilities: { tools: object, prompts: object } }),
      ),
      fact(
        'a listed prompt has its arguments as a list',
        result('prompts/list', undefined, {
          prompts: some({
            name: 'santa_report_prompt',
            description: text,
            arguments: both(
              size(2),
              some({ name: 'name', description: text, required: true }),
              some({ name: 'behavior', description: text, required: true }),
            ),
          }),
        }),
      ),
      fact(
        'an optional argument of a tool is not required',
        result('tools/list', undefined, {
          tools: both(
            size(1),
            first({
              name: 'letter_to_santa',
              description: text,
              inputSchema: {
                type: 'object',
                properties: {
                  name: { type: 'string' },
                  behavior: { type: 'string', enum: both(some('Good'), some('Naughty')) },
                  santaEmailAddress: { type: 'string' },
                },
                required: both(some('name'), some('behavior'), none('santaEmailAddress')),
              },
            }),
          ),
        }),
      ),
    ],
  },
  {
    file: 'Examples/PromptMcpServerTests/Prompts/PromptListTests.cs',
    server: 'prompts',
    cases: [
      overWebSocket('prompts over WebSocket are no tools', 'prompts/list', undefined, {
        prompts: both(some({ name: 'santa_report_prompt' }), none({ name: 'letter_to_santa' })),
      }),
      fact(
        'prompts over HTTP are no tools',
        result('prompts/list', undefined, {
          prompts: both(some({ name: 'santa_report_prompt' }), none({ name: 'letter_to_santa' })),
        }),
      ),
      fact(
        'tools over HTTP are no prompts',
        result('tools/list', undefined, {
          tools: both(some({ name: 'letter_to_santa' }), none({ name: 'santa_report_prompt' })),
        }),
      ),
      overWebSocket('tools over WebSocket are no prompts', 'tools/list', undefined, {
        tools: both(some({ name: 'letter_to_santa' }), none({ name: 'santa_report_prompt' })),
      }),
    ],
  },
  {
    file: 'Examples/PromptMcpServerTests/Prompts/SimplePromptTests.cs',
    server: 'prompts',
    cases: [
      fact(
        'a prompt has messages and a description',
        result(
          'prompts/get',
          { name: 'santa_report_prompt', arguments: { name: 'Good Kid', behavior: 'Good' } },
          {
            messages: both(atLeast(1), every({ content: object })),
            description: text,
          },
        ),
      ),
      fact(
        'a tool beside a prompt is called',
        result(
          'tools/call',
          { name: 'letter_to_santa', arguments: { name: 'Good Kid', behavior: 'Good' } },
          {
            content: first({ text: json({ sent: true }) }),
          },
        ),
      ),
      fact(
        'a tool beside a prompt as the method',
        result('letter_to_santa', { name: 'Good Kid', behavior: 'Good', santaEmailAddress: null }, { sent: true }),
      ),
    ],
  },
  {
    file: 'Examples/ResourceMcpServerTests/Resources/McpProtocolTests.cs',
    server: 'resources',
    cases: [
      fact(
        'initialize declares resources',
        result('initialize', undefined, { ...initialized, capabilities: { resources: object } }),
      ),
      fact(
        'initialize declares at least resources',
        result('initialize', undefined, { capabilities: { resources: object } }),
      ),
      fact(
        'a listed resource can be read',
        result('initialize', undefined, { capabilities: { resources: object } }),
        {
          ...result('resources/list', undefined, { resources: atLeast(1) }),
          keep: { uri: 'body.result.resources.0.uri' },
        },
        result('resources/read', { uri: '{{uri}}' }, { contents: [{ uri: '{{uri}}' }] }),
      ),
    ],
  },
  {
    file: 'Examples/ResourceMcpServerTests/Resources/ResourceListTests.cs',
    server: 'resources',
    cases: [
      fact(
        'six resources have name, type and description',
        result('resources/list', undefined, {
          resources: both(
            atLeast(6),
            some({ uri: 'file://logs/app.log', name: text, mimeType: 'text/plain', description: text }),
            some({ uri: 'system://status', name: text, mimeType: 'application/json' }),
            some({ uri: 'db://users/example', name: text, mimeType: 'application/json' }),
          ),
        }),
      ),
      fact(
        'each URI has a scheme and a path',
        result('resources/list', undefined, {
          resources: every({ uri: (value) => /^[^:]+:\/\/(?!.*:\/\/).+$/.test(String(value)) }),
        }),
      ),
    ],
  },
  {
    file: 'Examples/ResourceMcpServerTests/Resources/ResourceReadTests.cs',
    server: 'resources',
    cases: [
      fact(
        'a resource of text',
        result(
          'resources/read',
          { uri: 'file://logs/app.log' },
          {
            contents: [{ uri: 'file://logs/app.log', mimeType: 'text/plain', text: contains('INFO:') }],
          },
        ),
      ),
      fact(
        'a resource of JSON',
        result(
          'resources/read',
          { uri: 'system://status' },
          {
            contents: [
              {
                uri: 'system://status',
                mimeType: 'application/json',
                text: json({ uptime: numeric, memoryUsed: numeric, timestamp: text }),
              },
            ],
          },
        ),
      ),
      fact(
        'a resource of data',
        result(
          'resources/read',
          { uri: 'db://users/example' },
          {
            contents: [
              {
                uri: 'db://users/example',
                mimeType: 'application/json',
                text: json({ id: 'example', name: text, email: text }),
              },
            ],
          },
        ),
      ),
      differs(
        'an unknown resource has the code -32601',
        {
          reason: 'specification',
          why: 'Resources, Error Handling: an unknown resource has the code -32002',
          ours: { status: 200, body: { error: { code: -32002 } } },
        },
        error('resources/read', { uri: 'file://nonexistent/resource' }, { code: -32601 }),
      ),
      fact('a missing URI has the code -32602', error('resources/read', {}, { code: -32602 })),
    ],
  },
  {
    file: 'Examples/ResourceMcpServerTests/Resources/ResourceSubscriptionTests.cs',
    server: 'resources',
    cases: [
      differs(
        'subscribe without a session',
        needsSession,
        subscribe('resources/subscribe', usersJson, { code: -32000 }),
      ),
      differs(
        'subscribe to an unknown URI without a session',
        needsSession,
        subscribe(
          'resources/subscribe',
          { uri: 'file://nonexistent/resource.txt' },
          {
            code: either(-32601, -32000),
            message: either(contains('Resource not found'), contains('Session required')),
          },
        ),
      ),
      differs(
        'unsubscribe after subscribe, without a session',
        needsSession,
        subscribe('resources/subscribe', usersJson, { code: -32000 }),
      ),
      differs(
        'unsubscribe without a session',
        needsSession,
        subscribe('resources/unsubscribe', usersJson, { code: -32000 }),
      ),
      differs(
        'subscribe without a URI',
        {
          ...needsSession,
          ours: { body: { error: { code: either(-32600, -32602) } } },
        },
        subscribe(
          'resources/subscribe',
          {},
          {
            code: either(-32602, -32000),
            message: either(contains("Missing 'uri' parameter"), contains('Session required')),
          },
        ),
      ),
      ...['subscribe twice, without a session', 'subscribe to several resources, without a session'].map((about) =>
        differs(about, needsSession, subscribe('resources/subscribe', usersJson, { code: -32000 })),
      ),
    ],
  },
]

/** Subscriptions in a session. MCP Gateway's own cases have no session. */
export const sessionFacts: FactFile = {
  file: 'subscriptions in a session',
  server: 'resources',
  cases: [
    fact(
      'unsubscribe after subscribe, in a session',
      ...connect,
      {
        ...result('resources/subscribe', { uri: 'system://status' }, { subscribed: true, uri: 'system://status' }),
        to: '/mcp',
        headers: { 'mcp-session-id': '{{session}}' },
      },
      {
        ...result('resources/unsubscribe', { uri: 'system://status' }, { unsubscribed: true, uri: 'system://status' }),
        to: '/mcp',
        headers: { 'mcp-session-id': '{{session}}' },
      },
    ),
    fact(
      'subscribe twice, in a session',
      ...connect,
      ...[1, 2].map(() => ({
        ...result('resources/subscribe', { uri: 'system://status' }, { subscribed: true }),
        to: '/mcp',
        headers: { 'mcp-session-id': '{{session}}' },
      })),
    ),
    fact(
      'subscribe to several resources, in a session',
      ...connect,
      ...['system://status', 'db://users/example', 'file://logs/app.log'].map((uri) => ({
        ...result('resources/subscribe', { uri }, { subscribed: true }),
        to: '/mcp',
        headers: { 'mcp-session-id': '{{session}}' },
      })),
    ),
  ],
}
