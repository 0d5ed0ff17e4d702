import { EventEmitter, once } from 'node:events'
import type { Client } from '@modelcontextprotocol/client'
import { describeProgram } from '../../../test/support/program-behaviour.js'
import {
  type ConnectedSample,
  call,
  connectSample,
  programLanes,
  progressIn,
  spawnSample,
} from '../../../test/support/sample.js'

const tools = [
  'confirm_delete',
  'failing_job',
  'greet',
  'json_schema_2020_12_tool',
  'multi_input',
  'protocol_error_job',
  'slow_compute',
  'test_audio_content',
  'test_elicitation',
  'test_elicitation_sep1034_defaults',
  'test_elicitation_sep1330_enums',
  'test_elicitation_url',
  'test_embedded_resource',
  'test_error_handling',
  'test_image_content',
  'test_input_required_result_arguments',
  'test_input_required_result_capabilities',
  'test_input_required_result_elicitation',
  'test_input_required_result_list_roots',
  'test_input_required_result_multi_round',
  'test_input_required_result_multiple_inputs',
  'test_input_required_result_request_state',
  'test_input_required_result_sampling',
  'test_input_required_result_tampered_state',
  'test_large_text',
  'test_logging_tool',
  'test_missing_capability',
  'test_multiple_content_types',
  'test_reconnection',
  'test_resource_link',
  'test_sampling',
  'test_simple_text',
  'test_streaming_elicitation',
  'test_structured_array',
  'test_structured_object',
  'test_tool_with_logging',
  'test_tool_with_progress',
  'test_tool_with_task',
  'test_trigger_prompt_change',
  'test_trigger_resource_change',
  'test_trigger_resource_update',
  'test_trigger_tool_change',
  'test_wait',
  'test_wait_outcome',
  'test_x_mcp_header',
  'test_x_mcp_header_kinds',
]

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
const image = { type: 'image', mimeType: 'image/png', data: png }

function text(value: unknown): object {
  return { type: 'text', text: value }
}

function failure(message: unknown): object {
  return { content: [text(message)], isError: true }
}

/** A call that reports progress, so that the test can see that it runs. */
const observed = { onprogress: () => undefined }

describeProgram('everything', tools)

describe.each(programLanes)('everything over $lane, $era', (lane) => {
  let sample: ConnectedSample
  let client: Client

  beforeAll(async () => {
    sample = await connectSample('everything', lane)
    client = sample.client
  })

  afterAll(() => sample.close())

  it('returns every kind of content', async () => {
    expect(await call(client, 'test_simple_text')).toEqual({
      content: [text('This is a simple text response for testing.')],
    })
    expect(await call(client, 'test_image_content')).toEqual({ content: [image] })
    expect(await call(client, 'test_audio_content')).toEqual({
      content: [{ type: 'audio', mimeType: 'audio/wav', data: expect.stringMatching(/^UklGR[\w+/]+=$/) }],
    })
    expect(await call(client, 'test_embedded_resource')).toEqual({
      content: [
        {
          type: 'resource',
          resource: {
            uri: 'test://embedded-resource',
            mimeType: 'text/plain',
            text: 'This is an embedded resource content.',
          },
        },
      ],
    })
    expect(await call(client, 'test_resource_link')).toEqual({
      content: [
        {
          type: 'resource_link',
          uri: 'test://static-text',
          name: 'static-text',
          title: 'Static text',
          description: 'A resource that is linked to, not embedded',
          mimeType: 'text/plain',
        },
      ],
    })
    expect(await call(client, 'test_multiple_content_types')).toEqual({
      content: [
        text('Multiple content types test:'),
        image,
        {
          type: 'resource',
          resource: {
            uri: 'test://mixed-content-resource',
            mimeType: 'application/json',
            text: '{"test":"data","value":123}',
          },
        },
      ],
    })
  })

  it('returns errors that a model can read', async () => {
    expect(await call(client, 'test_error_handling')).toEqual(
      failure('This tool intentionally returns an error for testing'),
    )
  })

  it('returns structured content, only as an object before 2026', async () => {
    const weather = { city: 'Reykjavik', celsius: 4.5, sky: 'rain' }
    await client.listTools()
    expect(await call(client, 'test_structured_object')).toEqual({
      content: [text(JSON.stringify(weather))],
      structuredContent: weather,
    })
    expect(await call(client, 'test_structured_array')).toEqual({
      content: [text('[2,3,5,7,11]')],
      ...(lane.era === 'modern' ? { structuredContent: [2, 3, 5, 7, 11] } : {}),
    })
  })

  it('lists a JSON Schema as it was written, and enforces it', async () => {
    const listed = (await client.listTools()).tools.find(({ name }) => name === 'json_schema_2020_12_tool')
    expect(listed?.inputSchema).toEqual({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: {
        address: {
          $anchor: 'addressDef',
          type: 'object',
          properties: { street: { type: 'string' }, city: { type: 'string' } },
        },
      },
      properties: {
        name: { type: 'string' },
        address: { $ref: '#/$defs/address' },
        contactMethod: { type: 'string', enum: ['phone', 'email'] },
        phone: { type: 'string' },
        email: { type: 'string' },
      },
      allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
      if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
      // oxlint-disable-next-line unicorn/no-thenable
      then: { required: ['phone'] },
      else: { required: ['email'] },
      additionalProperties: false,
    })
    const address = { street: 'Main Street' }
    expect(await call(client, 'json_schema_2020_12_tool', { name: 'Ada', email: 'ada@example.com', address })).toEqual({
      content: [text('Reached Ada at ada@example.com.')],
    })
    const rejected = failure(expect.stringMatching(/^Invalid arguments for tool 'json_schema_2020_12_tool'/))
    for (const args of [
      { contactMethod: 'phone', email: 'ada@example.com' },
      { email: 'ada@example.com', address: { street: 1 } },
      { email: 'ada@example.com', fax: '1' },
    ]) {
      expect(await call(client, 'json_schema_2020_12_tool', args)).toEqual(rejected)
    }
  })

  it('reports progress three times', async () => {
    const earlier = sample.received.length
    const { content } = await client.callTool({ name: 'test_tool_with_progress' }, observed)
    expect(content).toEqual([text('Progress was reported three times.')])
    const progressToken: unknown = expect.anything()
    expect(progressIn(sample.received.slice(earlier))).toEqual([
      { progressToken, progress: 0, total: 100 },
      { progressToken, progress: 50, total: 100 },
      { progressToken, progress: 100, total: 100 },
    ])
  })

  it('reports the state of a wait: not begun, running, completed or aborted', async () => {
    expect(await outcomeOf(client, 'short')).toBe('unknown')
    expect(await call(client, 'test_wait', { key: 'short', ms: 1 })).toEqual({ content: [text('Waited 1 ms.')] })
    expect(await outcomeOf(client, 'short')).toBe('completed')

    const cancel = new AbortController()
    const progress = new EventEmitter()
    const begun = once(progress, 'begun')
    const options = { signal: cancel.signal, onprogress: () => progress.emit('begun') }
    const waiting = client.callTool({ name: 'test_wait', arguments: { key: 'long', ms: 60_000 } }, options)
    const outcome = waiting.catch((error: unknown) => String(error))
    await begun
    expect(await outcomeOf(client, 'long')).toBe('running')
    cancel.abort('enough')
    expect(await outcome).toMatch(/enough/)
    while ((await outcomeOf(client, 'long')) === 'running');
    expect(await outcomeOf(client, 'long')).toBe('aborted')
  })

  it('returns texts of any size up to the limit of the server', async () => {
    const { content } = await client.callTool({ name: 'test_large_text', arguments: { bytes: 3_000_000 } }, observed)
    expect(content).toEqual([text('x'.repeat(3_000_000))])
    expect(await call(client, 'test_large_text', { bytes: 12_000_000 })).toEqual(
      failure("Tool 'test_large_text' returned more than 10485760 bytes. Ask for less."),
    )
  })

  it('accepts arguments that clients repeat in headers', async () => {
    await client.listTools()
    expect(await call(client, 'test_x_mcp_header', { region: 'Åland', level: 3 })).toEqual({
      content: [text('The region is Åland.')],
    })
    const given = { count: 42, flag: false, where: { zone: 'a' } }
    expect(await call(client, 'test_x_mcp_header_kinds', given)).toEqual({ content: [text(JSON.stringify(given))] })
  })

  it('writes to its log, not to the client', async () => {
    const earlier = sample.received.length
    expect(await call(client, 'test_logging_tool')).toEqual({ content: [text('A log message was written.')] })
    expect(sample.received).toHaveLength(earlier + 1)
    const [line] = await sample.output.match(/.*test_logging_tool was called.*/)
    expect(JSON.parse(line)).toMatchObject({ method: 'tools/call', client: 'sample-test' })
  })
})

describe('everything with PAGE_SIZE', () => {
  it('lists its tools in pages of that size', async () => {
    const sample = await connectSample('everything', { lane: 'http', era: 'modern' }, { PAGE_SIZE: '5' })
    const listed = await sample.client.listTools()
    await sample.close()
    expect(listed.tools.map(({ name }) => name)).toEqual(tools)
    const pages = sample.received.map((message) => ('result' in message ? message.result['tools'] : undefined))
    const expected = Array.from(
      { length: Math.ceil(tools.length / 5) },
      (_, page) => tools.slice(page * 5, page * 5 + 5).length,
    )
    expect(pages.map((page) => (page as unknown[]).length)).toEqual(expected)
  })
})

async function outcomeOf(client: Client, key: string): Promise<string> {
  const { content } = await client.callTool({ name: 'test_wait_outcome', arguments: { key } })
  return (content as { text: string }[])[0]?.text ?? ''
}

it('everything reports an invalid page size', async () => {
  const { output, ended } = spawnSample('everything', [], { PAGE_SIZE: '0' })
  await output.match(/The environment variable PAGE_SIZE must be at least 1\. \[bad-environment\]/)
  expect(await ended).toEqual({ code: 1, signal: null })
})
