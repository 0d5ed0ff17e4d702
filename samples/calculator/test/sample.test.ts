import { type Client, ProtocolError } from '@modelcontextprotocol/client'
import { describeProgram } from '../../../test/support/program-behaviour.js'
import { type ConnectedSample, call, connectSample, programLanes, progressIn } from '../../../test/support/sample.js'

const tools = ['add_numbers', 'calculation_history', 'count_primes', 'divide', 'generate_secret', 'multiply_numbers']

/** Minutes of work, which no test waits for. */
const endless = 100_000_000

/** A structured result also has its JSON as text, for clients without structured content. */
function structured(value: object): object {
  return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value }
}

function failure(text: unknown): object {
  return { content: [{ type: 'text', text }], isError: true }
}

describeProgram('calculator', tools)

describe.each(programLanes)('calculator over $lane, $era', (lane) => {
  let sample: ConnectedSample
  let client: Client

  beforeAll(async () => {
    sample = await connectSample('calculator', lane)
    client = sample.client
  })

  afterAll(() => sample.close())

  it('returns its server information', () => {
    expect(client.getServerVersion()).toEqual({ name: 'calculator', version: '1.0.0', title: 'Calculator' })
    expect(client.getInstructions()).toBe('Use these tools for arithmetic instead of calculating in your head.')
  })

  it('describes its tools, with icons that need no web server', async () => {
    const listed = (await client.listTools()).tools
    expect(listed.map(({ name }) => name)).toEqual(tools)
    expect(listed[0]).toEqual({
      name: 'add_numbers',
      title: 'Add Numbers',
      description: 'Adds two numbers and returns the sum',
      icons: [
        { src: expect.stringMatching(/^data:image\/svg\+xml;base64,/), mimeType: 'image/svg+xml', sizes: ['any'] },
      ],
      annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
      inputSchema: {
        type: 'object',
        required: ['a', 'b'],
        properties: {
          a: { type: 'number', description: 'First number' },
          b: { type: 'number', description: 'Second number' },
        },
      },
      outputSchema: { type: 'object', required: ['sum'], properties: { sum: { type: 'number' } } },
    })
  })

  it('adds, multiplies and divides', async () => {
    expect(await call(client, 'add_numbers', { a: 2, b: 3 })).toEqual(structured({ sum: 5 }))
    expect(await call(client, 'multiply_numbers', { a: 4, b: 2.5 })).toEqual(structured({ product: 10 }))
    expect(await call(client, 'divide', { dividend: 7, divisor: 2 })).toEqual(structured({ quotient: 3.5 }))
  })

  it('returns errors with a fix for the model', async () => {
    expect(await call(client, 'divide', { dividend: 7, divisor: 0 })).toEqual(
      failure('Cannot divide by 0. Give another divisor.'),
    )
    expect(await call(client, 'multiply_numbers', { a: 1e200, b: 1e200 })).toEqual(
      failure('1e+200 × 1e+200 is too large to calculate. Use smaller numbers.'),
    )
    expect(await call(client, 'add_numbers', { a: 'two', b: 3 })).toEqual(
      failure(expect.stringMatching(/^Invalid arguments for tool 'add_numbers': 'a' must be a number/)),
    )
  })

  it('counts primes, and reports progress on request', async () => {
    const earlier = sample.received.length
    const { structuredContent } = await client.callTool(
      { name: 'count_primes', arguments: { upTo: 60_000 } },
      { onprogress: () => undefined },
    )
    expect(structuredContent).toEqual({ count: 6057 })
    const progressToken: unknown = expect.anything()
    expect(progressIn(sample.received.slice(earlier))).toEqual([
      { progressToken, progress: 25_000, total: 60_000, message: '2762 primes up to 25000' },
      { progressToken, progress: 50_000, total: 60_000, message: '5133 primes up to 50000' },
      { progressToken, progress: 60_000, total: 60_000, message: '6057 primes up to 60000' },
    ])
    expect(await call(client, 'count_primes', { upTo: 10 })).toEqual(structured({ count: 4 }))
    expect(await call(client, 'count_primes', { upTo: 0 })).toEqual(structured({ count: 0 }))
  })

  it('stops counting when it is cancelled, and serves other clients meanwhile', async () => {
    const cancel = new AbortController()
    const counting = client.callTool(
      { name: 'count_primes', arguments: { upTo: endless } },
      { onprogress: () => cancel.abort('enough'), signal: cancel.signal },
    )
    await expect(counting).rejects.toThrow('enough')
    expect(await call(client, 'add_numbers', { a: 1, b: 1 })).toEqual(structured({ sum: 2 }))
    const [line] = await sample.output.match(new RegExp(`.*"upTo":${endless}.*counted primes.*`))
    expect((JSON.parse(line) as { reached: number }).reached).toBeLessThan(endless)
  })

  it('stores successful calculations until it ends', async () => {
    const before = await history(client)
    await call(client, 'multiply_numbers', { a: 6, b: 7 })
    await call(client, 'divide', { dividend: 1, divisor: 0 })
    const after = await history(client)
    expect(after.slice(before.length)).toEqual([{ at: expect.any(String), calculation: '6 × 7', result: 42 }])
    expect(Date.now() - Date.parse(after.at(-1)?.at ?? '')).toBeLessThan(60_000)
  })

  it('generates secrets of each kind, and a new one each time', async () => {
    const shapes = {
      password: /^[\w!#$%&*+\-=?@]{20}$/,
      token: /^[\w-]{43}$/,
      uuid: /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/,
    }
    for (const [kind, shape] of Object.entries(shapes)) {
      const secrets = [await secretOf(client, kind), await secretOf(client, kind)]
      expect(secrets).toEqual([expect.stringMatching(shape), expect.stringMatching(shape)])
      expect(secrets[0]).not.toBe(secrets[1])
    }
    expect(await call(client, 'generate_secret', { kind: 'pin' })).toEqual(
      failure(expect.stringMatching(/'kind'.*password.*token.*uuid/)),
    )
  })

  it('rejects unknown tools', async () => {
    const unknown = client.callTool({ name: 'add_number', arguments: {} })
    await expect(unknown).rejects.toThrow(ProtocolError)
    await expect(unknown).rejects.toMatchObject({ code: -32602, data: { suggestions: ['add_numbers'] } })
  })
})

describe('calculator on SIGTERM', () => {
  it('finishes the call in flight, sends its result and ends with code 0', async () => {
    const { client, close } = await connectSample('calculator', { lane: 'http', era: 'modern' })
    let closed: ReturnType<typeof close> | undefined
    const onprogress = (): void => {
      closed ??= close()
    }
    const counting = client.callTool({ name: 'count_primes', arguments: { upTo: 3_000_000 } }, { onprogress })
    expect((await counting).structuredContent).toEqual({ count: 216_816 })
    expect(await closed).toEqual({ code: 0, signal: null })
  })
})

interface Entry {
  readonly at: string
  readonly calculation: string
  readonly result: number
}

async function history(client: Client): Promise<readonly Entry[]> {
  const { structuredContent } = await client.callTool({ name: 'calculation_history' })
  return (structuredContent as { entries: readonly Entry[] }).entries
}

async function secretOf(client: Client, kind: string): Promise<string> {
  const { structuredContent } = await client.callTool({ name: 'generate_secret', arguments: { kind } })
  const { secret } = structuredContent as { kind: string; secret: string }
  expect(structuredContent).toEqual({ kind, secret })
  return secret
}
