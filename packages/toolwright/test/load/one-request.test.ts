import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

// A separate program: blocking its event loop does not block the test. `npm run soak` has all requests, and a lower
// limit.

const script = join(__dirname, '..', '..', '..', '..', 'test', 'soak', 'one-request.mjs')

it('no request within the limits blocks the event loop for long', async () => {
  // `npm run soak` requires less than 100. Processor time is longer, too, while other tests run.
  const bound = process.platform === 'linux' ? 200 : 300
  const running = promisify(execFile)(process.execPath, [script, '--every', '47', '--bound', String(bound)])
  const { stdout } = await running.catch((failed: { readonly stdout: string }) => failed)
  const { requests, longest } = JSON.parse(stdout) as Summary

  expect(requests).toBe(26)
  expect(Object.keys(longest).toSorted()).toStrictEqual(['http', 'stdio', 'webSocket'])
  expect(Math.max(...Object.values(longest).map(({ ms }) => ms))).toBeLessThan(bound)
})

interface Summary {
  readonly requests: number
  readonly longest: Readonly<Record<string, { readonly ms: number }>>
}
