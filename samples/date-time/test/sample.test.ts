import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describeProgram } from '../../../test/support/program-behaviour.js'
import { readTrials } from '../../../test/support/readme.js'
import {
  type ConnectedSample,
  call,
  connectSample,
  programLanes,
  type SampleProcess,
  startSample,
} from '../../../test/support/sample.js'

const folder = join(__dirname, '..')

describeProgram('date-time', ['add_time', 'format_time', 'get_difference', 'get_time'], '  prompts    plan_meeting\n')

it('date-time passes its own tests', () => {
  const { status, stdout } = spawnSync(process.execPath, ['--test', '--test-reporter=tap'], {
    cwd: join(folder, 'dist'),
    encoding: 'utf8',
  })
  expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringMatching(/# pass 6\n# fail 0/) })
})

describe('the README of date-time', () => {
  let running: SampleProcess & { url: URL }

  beforeAll(async () => {
    running = await startSample('date-time')
  })

  afterAll(() => running.stop())

  it.each(readTrials(folder))('shows the output of $name', async ({ run, output }) => {
    expect(await run(running.url)).toBe(output)
  })
})

/** Each transport and each era once: the tools are the same everywhere. */
const lanes = programLanes.filter(({ lane, era }) => (lane === 'stdio') === (era === 'legacy'))

describe.each(lanes)('date-time over $lane, $era', (lane) => {
  let sample: ConnectedSample

  beforeAll(async () => {
    sample = await connectSample('date-time', lane)
  })

  afterAll(() => sample.close())

  it('returns the current time', async () => {
    const { structuredContent } = await sample.client.callTool({ name: 'get_time', arguments: {} })
    const { dateTime } = structuredContent as { dateTime: string }
    expect(Math.abs(Date.parse(dateTime) - Date.now())).toBeLessThan(60_000)
  })

  it('rejects dates and amounts that do not match the schema', async () => {
    expect(await call(sample.client, 'add_time', { dateTime: 'tomorrow', days: 0.5, quarters: 1 })).toEqual({
      content: [{ type: 'text', text: expect.stringMatching(/'quarters'.*'dateTime'.*'days' must be an integer/) }],
      isError: true,
    })
  })

  it('serves a prompt, and completes its time zones', async () => {
    const args = { here: 'Europe/Lisbon', there: 'Asia/Tokyo' }
    const { messages } = await sample.client.getPrompt({ name: 'plan_meeting', arguments: args })
    expect(messages).toEqual([
      { role: 'user', content: { type: 'text', text: expect.stringContaining('in Europe/Lisbon and in Asia/Tokyo') } },
    ])
    const { completion } = await sample.client.complete({
      ref: { type: 'ref/prompt', name: 'plan_meeting' },
      argument: { name: 'there', value: 'new york' },
    })
    expect(completion.values).toEqual(['America/New_York'])
  })
})
