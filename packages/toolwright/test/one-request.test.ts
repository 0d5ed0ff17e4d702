import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

// A program of its own: what keeps its event loop keeps nothing of ours. `npm run soak` has all of them, and a closer bound.
jest.setTimeout(60_000)

const script = join(__dirname, '..', '..', '..', 'test', 'soak', 'one-request.mjs')

it('no request within the limits keeps the event loop for long', async () => {
  const running = promisify(execFile)(process.execPath, [script, '--rounds', '3', '--every', '11'])
  const { stdout } = await running.catch((failed: { readonly stdout: string }) => failed)
  const { requests, longest } = JSON.parse(stdout) as { requests: number; longest: { ms: number } }

  expect(requests).toBe(26)
  // Where only the clock can tell, it also tells of what else runs. Without the limits it is thousands.
  expect(longest.ms).toBeLessThan(process.platform === 'linux' ? 100 : 300)
})
