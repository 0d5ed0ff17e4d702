import { setTimeout as sleep } from 'node:timers/promises'
import { type CallHook, type FeatureCall, McpTool, ToolError, Type } from '@toolwright/core'
import { createServer, loggingHook, MetricsHook, type ServerOptions } from '@toolwright/server'
import { pino } from 'pino'
import { openRawClient, type RawClient } from '../support/raw-client.js'

const Text = Type.Object({ text: Type.String() })

class DivisionTools {
  @McpTool({ description: 'Divide', input: Type.Object({ a: Type.Number(), b: Type.Number() }) })
  async divide({ a, b }: { a: number; b: number }): Promise<number> {
    await sleep(2)
    if (b === 0) throw new ToolError('Give a divisor other than 0.')
    return a / b
  }

  @McpTool({ description: 'Crash', input: Text })
  crash({ text }: { text: string }): never {
    throw new RangeError(text)
  }

  @McpTool({ description: 'Hang', timeoutMs: 10 })
  hang(): Promise<void> {
    return new Promise(() => undefined)
  }
}

const call = (client: RawClient, name: string, args: object = {}) =>
  client.modern('tools/call', { name, arguments: args })

async function open(hook: CallHook, options: Partial<ServerOptions> = {}) {
  const logger = pino({ level: 'silent' })
  const given = { name: 'test', version: '1', controllers: [DivisionTools], hooks: [hook], logger, ...options }
  return openRawClient(await createServer(given))
}

describe('MetricsHook', () => {
  async function measured() {
    const metrics = new MetricsHook()
    await using client = await open(metrics)
    for (const args of [{ a: 6, b: 2 }, { a: 1, b: 4 }, { a: 1, b: 0 }, { a: 'x' }]) {
      // oxlint-disable-next-line no-await-in-loop
      await call(client, 'divide', args)
    }
    await call(client, 'crash', { text: 'secret' })
    await call(client, 'hang')
    return metrics
  }

  it('counts calls by feature, outcome and duration', async () => {
    const metrics = await measured()
    const [crash, divide, hang, ...rest] = metrics.snapshot()
    expect(divide).toEqual({
      kind: 'tool',
      name: 'divide',
      invocations: 4,
      successes: 2,
      failures: 2,
      successRate: 0.5,
      averageMs: expect.any(Number),
      minMs: expect.any(Number),
      maxMs: expect.any(Number),
      errors: { ToolError: 1, InvalidArguments: 1 },
    })
    const { minMs = 0, averageMs = 0, maxMs = 0 } = divide ?? {}
    expect(minMs).toBeGreaterThan(1)
    expect(averageMs).toBeCloseTo((minMs + maxMs) / 2)
    const failed = { invocations: 1, successes: 0, failures: 1, successRate: 0, averageMs: 0, minMs: 0, maxMs: 0 }
    expect(crash).toMatchObject({ name: 'crash', ...failed, errors: { RangeError: 1 } })
    expect(hang).toMatchObject({ name: 'hang', ...failed, errors: { TimeoutError: 1 } })
    expect(rest).toEqual([])
  })

  it('returns immutable figures, and can be reset', async () => {
    const metrics = await measured()
    const before = metrics.metricsOf('tool', 'divide')
    metrics.reset()
    expect(before?.invocations).toBe(4)
    expect(metrics.metricsOf('tool', 'divide')).toBeUndefined()
    expect(metrics.snapshot()).toEqual([])
  })

  it('prints a table', async () => {
    const metrics = await measured()
    const table = String(metrics).replaceAll(/\d+\.\d\d ms/g, '0.00 ms')
    expect(table.split('\n').map((line) => line.trim().split(/ {2,}/))).toEqual([
      ['feature', 'calls', 'successes', 'failures', 'rate', 'average', 'minimum', 'maximum', 'errors'],
      ['tool crash', '1', '0', '1', '0.0 %', '0.00 ms', '0.00 ms', '0.00 ms', 'RangeError 1'],
      ['tool divide', '4', '2', '2', '50.0 %', '0.00 ms', '0.00 ms', '0.00 ms', 'ToolError 1, InvalidArguments 1'],
      ['tool hang', '1', '0', '1', '0.0 %', '0.00 ms', '0.00 ms', '0.00 ms', 'TimeoutError 1'],
    ])
  })

  it('limits the number of error names', async () => {
    const metrics = new MetricsHook()
    let count = 0
    class Endless {
      @McpTool({ description: 'Fail' })
      fail(): never {
        throw Object.assign(new Error('x'), { name: `Error${count++}` })
      }
    }
    await using client = await open(metrics, { controllers: [Endless] })
    for (let index = 0; index < 40; index++) {
      // oxlint-disable-next-line no-await-in-loop
      await call(client, 'fail')
    }
    const { errors = {} } = metrics.metricsOf('tool', 'fail') ?? {}
    expect([Object.keys(errors).length, errors['other']]).toEqual([33, 8])
  })

  it('counts features together if their names keep changing', () => {
    const metrics = new MetricsHook()
    for (let index = 0; index < 10_003; index++) {
      metrics.onCompleted({ kind: 'tool', name: `tool_${index}` } as FeatureCall, null, 1)
    }
    metrics.onFailed({ kind: 'tool', name: 'tool_0' } as FeatureCall, new Error('x'))

    expect(metrics.metricsOf('tool', '(others)')?.invocations).toBe(3)
    expect(metrics.metricsOf('tool', 'tool_0')).toMatchObject({ successes: 1, failures: 1 })
    expect(metrics.snapshot()).toHaveLength(10_001)
  })
})

/** A logger, and the lines that it wrote, as one string. */
function capture() {
  const lines: string[] = []
  const logger = pino({ base: null, timestamp: false }, { write: (line: string) => void lines.push(line) })
  return { logger, lines }
}

describe('loggingHook', () => {
  it('logs one line for each call', async () => {
    const { logger, lines } = capture()
    await using client = await open(loggingHook(), { logger })
    await call(client, 'divide', { a: 6, b: 2 })
    await call(client, 'divide', { a: 6, b: 0 })
    const common = { level: 30, method: 'tools/call', protocolVersion: '2026-07-28', kind: 'tool', feature: 'divide' }
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { ...common, requestId: 1, outcome: 'completed', durationMs: expect.any(Number), msg: 'call' },
      {
        ...common,
        requestId: 2,
        outcome: 'failed',
        failure: 'tool-error',
        durationMs: expect.any(Number),
        msg: 'call',
      },
    ])
  })

  it("logs the error id, by which the client's error and the log line of the failure can be matched", async () => {
    const { logger, lines } = capture()
    await using client = await open(loggingHook(), { logger })
    const { result } = await call(client, 'crash', { text: 'secret' })
    const [, errorId] = /error ([\da-f-]{36})/.exec(result.content[0].text) ?? []
    const [failure, line] = lines.map((written) => JSON.parse(written))
    expect(failure).toMatchObject({ msg: "Tool 'crash' failed", err: { message: 'secret' }, errorId })
    expect(line).toMatchObject({ msg: 'call', outcome: 'failed', failure: 'unexpected', errorId })
    expect(JSON.stringify([line, result])).not.toContain('secret')
  })

  it('writes one line per event, even for client data with line breaks', async () => {
    const { logger, lines } = capture()
    const forged = '\n{"level":30,"msg":"forged"}\r\u2028\u001b[31m'
    await using client = await open(loggingHook(), { logger })
    await client.initialize('2025-11-25')
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: forged, version: forged },
    }
    await client.request('tools/call', { name: 'crash', arguments: { text: forged }, _meta })
    await client.request('tools/call', { name: forged, _meta })
    await client.request(forged, { _meta })
    expect(lines).toHaveLength(2)
    for (const line of lines) {
      expect(line.indexOf('\n')).toBe(line.length - 1)
      // oxlint-disable-next-line no-control-regex
      expect(line.slice(0, -1)).not.toMatch(/[\u0000-\u001f]/)
    }
  })
})

describe('a logger that fails', () => {
  const broken = () =>
    pino(
      {},
      {
        write: () => {
          throw new Error('disk full')
        },
      },
    )

  it('does not affect calls', async () => {
    await using client = await open(loggingHook(), { logger: broken() })
    expect((await call(client, 'divide', { a: 6, b: 2 })).result.content).toEqual([{ type: 'text', text: '3' }])
    expect((await call(client, 'crash', { text: 'x' })).result).toMatchObject({ isError: true })
    expect((await call(client, 'hang')).result).toMatchObject({ isError: true })
  })

  it('does not affect failures outside of calls', async () => {
    await using client = await open(
      {
        onInvoking: () => {
          throw new Error('x')
        },
      },
      { logger: broken() },
    )
    expect((await call(client, 'divide', { a: 6, b: 2 })).result).toMatchObject({ isError: true })
    expect((await client.modern('tools/list', {})).result.tools).toHaveLength(3)
  })
})
