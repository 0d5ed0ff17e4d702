// Adds a sample that lists nothing without a login, and a test of the check, to listed-features.test.ts.
import { startSample } from '../support/sample.js'
import { leftOpenBy, reportingLeftovers } from './leftovers.js'

async function leftBy(sample: string, options = ''): Promise<readonly string[]> {
  const running = await startSample(sample, { NODE_OPTIONS: `${reportingLeftovers.NODE_OPTIONS} ${options}`.trim() })
  await running.stop()
  return leftOpenBy(running)
}

test('the closed sample login leaves nothing open', async () => {
  expect(await leftBy('login')).toEqual([])
})

test('a timer that a program leaves is reported', async () => {
  const [left, ...others] = await leftBy('hello', '--import=data:text/javascript,setInterval(()=>{},1e6).unref()')
  expect([left?.split(' ')[0], others]).toEqual(['Timeout', []])
})
