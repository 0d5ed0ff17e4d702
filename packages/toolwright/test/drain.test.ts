import { runSoak } from '../../../test/support/run-soak.js'

// Programs of their own: what ends a process can only be seen from outside. `npm run soak` has the long runs.

it('loses no call and cuts no stream on SIGTERM', async () => {
  expect(await runSoak('sigterm.mjs', '--rounds', 2, '--calls', 50)).toEqual({
    rounds: 2,
    calls: 100,
    lost: 0,
    cutStreams: 0,
    badExits: 0,
    servedWhileClosing: 0,
    worstExitAfterLastCallMs: expect.any(Number),
  })
})

it('ends as it should at its deadline, at a second signal, and after an exception, but not after a rejection', async () => {
  const isInTime = true
  expect(await runSoak('endings.mjs', '--slack-ms', 4000)).toEqual({
    deadline: { code: 1, answers: 0, isInTime },
    'second-signal': { code: 1, answers: 0, isInTime },
    'stray-rejection': {
      code: 0,
      answers: 2,
      logged: ['unhandled rejection: a promise failed that nothing awaits'],
      isInTime,
    },
    'uncaught-exception': { code: 1, answers: 2, logged: ['uncaught exception: closing'], isInTime },
  })
})

it('keeps nothing of calls and sessions that ended: no memory, timers, listeners or descriptors', async () => {
  const counts = ['--calls', 3000, '--refusals', 1000, '--sessions', 300, '--warm-up', 500]
  const report = await runSoak('memory.mjs', ...counts, '--rough', 1)
  const { sessionsLeft, timersMore, listenersMore, descriptorsMore, ...kinds } = report as Record<string, unknown>
  expect({ sessionsLeft, timersMore, listenersMore }).toEqual({ sessionsLeft: 0, timersMore: 0, listenersMore: 0 })
  expect(Math.abs(descriptorsMore as number)).toBeLessThanOrEqual(2)
  // So few calls tell a leak from noise only when it is a large one.
  const grown = Object.values(kinds as Record<string, { readonly kibEach: number }>).map(({ kibEach }) => kibEach)
  expect(Math.max(...grown)).toBeLessThan(2)
})
