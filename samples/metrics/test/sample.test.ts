import { describeProgram } from '../../../test/support/program-behaviour.js'
import { call, connectSample, programLanes, spawnSample } from '../../../test/support/sample.js'

// Several programs run at once.
const env = { METRICS_PORT: '0' }
process.env['METRICS_PORT'] = env.METRICS_PORT

describeProgram('metrics', ['add', 'divide', 'figures', 'slow_operation'])

describe.each(programLanes)('metrics over $lane, $era', (lane) => {
  it('counts and traces calls', async () => {
    const sample = await connectSample('metrics', lane, env)
    const { client, output } = sample
    const [, url = ''] = await output.match(/metrics at (\S+)\n/)
    const answers = [
      await call(client, 'add', { a: 1, b: 2 }),
      await call(client, 'divide', { a: 1, b: 0 }),
      await call(client, 'slow_operation', { milliseconds: 120 }),
    ]
    const [, waitTrace, waitParent] = await output.match(/span wait trace=(\w+) span=\w+ parent=(\w+)/)
    const [, callTrace, callSpan] = await output.match(/span tools\/call slow_operation trace=(\w+) span=(\w+)/)
    await output.match(/span tools\/call divide .* ms error=tool_error\n/)
    await output.match(/"feature":"slow_operation","durationMs":\d+,"msg":"slow call"/)
    await output.match(/"feature":"divide","outcome":"failed","durationMs":[\d.]+,"failure":"tool-error","msg":"call"/)
    const { content } = (await call(client, 'figures')) as { content: { text: string }[] }
    const metrics = await (await fetch(url)).text()
    await sample.close()

    expect(answers).toEqual([
      { content: [{ type: 'text', text: '3' }] },
      { content: [{ type: 'text', text: 'Cannot divide by 0. Give another divisor.' }], isError: true },
      { content: [{ type: 'text', text: 'Took 120 ms.' }] },
    ])
    expect([waitTrace, waitParent]).toEqual([callTrace, callSpan])
    expect(content[0]?.text).toMatch(/^ {2}tool divide +1 +0 +1 +0\.0 % .* ToolError 1$/m)
    expect(metrics.split('\n')).toEqual(
      expect.arrayContaining([
        'mcp_calls_total{kind="tool",feature="add",outcome="completed"} 1',
        'mcp_calls_total{kind="tool",feature="divide",outcome="tool-error"} 1',
        'mcp_call_duration_seconds_bucket{le="0.1",kind="tool",feature="slow_operation"} 0',
      ]),
    )
  })
})

it('metrics reports an invalid port of the metrics', async () => {
  const { output, ended } = spawnSample('metrics', [], { METRICS_PORT: 'any' })
  await output.match(/The environment variable METRICS_PORT must be an integer\. \[bad-environment\]/)
  expect(await ended).toEqual({ code: 1, signal: null })
})
