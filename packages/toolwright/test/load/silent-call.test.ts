import { runSoak } from '../../../../test/support/run-soak.js'

// The official clients of both generations, in both eras. `npm run soak` has calls of 320 seconds.

it('a silent call of the official clients gets a stream that comments keep alive', async () => {
  const answered = { text: 'waited', contentType: 'text/event-stream', isLongEnough: true }
  expect(await runSoak('silent-call.mjs', '--seconds', 1, '--keep-alive-ms', 50)).toEqual({
    '1.x, in a session': answered,
    '1.x, without a session': answered,
    '2.x, legacy, in a session': answered,
    '2.x, legacy, without a session': answered,
    '2.x, modern': answered,
  })
})
