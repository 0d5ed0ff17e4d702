import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

// A program of its own: what keeps its event loop keeps nothing of ours. `npm run soak` has all of them, and a closer bound.

const script = join(__dirname, '..', '..', '..', 'test', 'soak', 'one-request.mjs')

it('no request within the limits keeps the event loop for long', async () => {
  const running = promisify(execFile)(process.execPath, [script, '--rounds', '3', '--every', '23'])
  const { stdout } = await running.catch((failed: { readonly stdout: string }) => failed)
  const { requests, longest } = JSON.parse(stdout) as Summary

  expect(requests).toBe(53)
  expect(Object.keys(longest).toSorted()).toStrictEqual(['http', 'stdio', 'webSocket'])
  // `npm run soak` asks for less than 100; while other tests run, processor time is longer, too.
  expect(Math.max(...Object.values(longest).map(({ ms }) => ms))).toBeLessThan(process.platform === 'linux' ? 200 : 300)
})

interface Summary {
  readonly requests: number
  readonly longest: Readonly<Record<string, { readonly ms: number }>>
}
