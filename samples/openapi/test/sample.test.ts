import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describeProgram } from '../../../test/support/program-behaviour.js'
import { readTrials } from '../../../test/support/readme.js'
import { call, connectSample, programLanes, type SampleProcess, startSample } from '../../../test/support/sample.js'

const folder = join(__dirname, '..')

describeProgram('openapi', ['find_seeds', 'get_order', 'order_seeds'])

it('openapi passes its own tests', () => {
  const { status, stdout } = spawnSync(process.execPath, ['--test', '--test-reporter=tap'], {
    cwd: join(folder, 'dist'),
    encoding: 'utf8',
  })
  expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringMatching(/# pass 1\n# fail 0/) })
})

describe('the README of openapi', () => {
  let running: SampleProcess & { url: URL }

  beforeAll(async () => {
    running = await startSample('openapi')
  })

  afterAll(() => running.stop())

  it.each(readTrials(folder))('shows the output of $name', async ({ run, output }) => {
    expect(await run(running.url)).toBe(output)
  })
})

it.each(programLanes)('orders are stored by the API: $lane, $era', async (lane) => {
  const sample = await connectSample('openapi', lane)
  const ordered = await call(sample.client, 'order_seeds', { seed: 'kale', packets: 2 })
  const { id } = (ordered as unknown as { structuredContent: { id: number } }).structuredContent
  expect(await call(sample.client, 'get_order', { id })).toMatchObject({
    structuredContent: { id, seed: 'kale', packets: 2 },
  })
  await sample.close()
})
