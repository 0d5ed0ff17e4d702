import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

// A program of its own: what keeps its event loop keeps nothing of ours. `npm run soak` has all of them, and a closer bound.
jest.setTimeout(60_000)

const script = join(__dirname, '..', '..', '..', 'test', 'soak', 'one-request.mjs')

it('no request within the limits keeps the event loop for long', async () => {
  const running = promisify(execFile)(process.execPath, [script, '--rounds', '3', '--every', '5'])
  const { stdout } = await running.catch((failed: { readonly stdout: string }) => failed)
  const { requests, longest } = JSON.parse(stdout) as { requests: number; longest: { ms: number } }

  expect(requests).toBe(20)
  // On a machine with nothing else to do it is 60. Without the limits it is thousands.
  expect(longest.ms).toBeLessThan(300)
})
