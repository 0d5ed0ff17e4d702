import { runSoak } from '../../../../test/support/run-soak.js'

// Separate programs, because the end of a process can only be observed from outside. `npm run soak` has the long runs.

it('a program loses no call and cuts no stream on SIGTERM', async () => {
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

it('a program ends at its deadline, at a second signal, and after an uncaught exception, but not after a rejection', async () => {
  const isInTime = true
  expect(await runSoak('endings.mjs', '--slack-ms', 4000)).toEqual({
    deadline: { code: 1, answers: 0, isInTime },
    'second-signal': { code: 1, answers: 0, isInTime },
    'stray-rejection': {
      code: 0,
      answers: 2,
      logged: ['unhandled rejection: a promise was rejected without a handler'],
      isInTime,
    },
    'uncaught-exception': { code: 1, answers: 2, logged: ['uncaught exception: closing'], isInTime },
  })
})

it('a program keeps no memory, timers, listeners or descriptors of ended calls and sessions', async () => {
  const counts = ['--calls', 3000, '--rejections', 1000, '--sessions', 300, '--warm-up', 500]
  const report = await runSoak('memory.mjs', ...counts, '--rough', 1)
  const { sessionsLeft, timersMore, listenersMore, descriptorsMore, ...kinds } = report as Record<string, unknown>
  expect({ sessionsLeft, timersMore, listenersMore }).toEqual({ sessionsLeft: 0, timersMore: 0, listenersMore: 0 })
  expect(Math.abs(descriptorsMore as number)).toBeLessThanOrEqual(2)
  // With so few calls, only a large leak can be distinguished from noise.
  const grown = Object.values(kinds as Record<string, { readonly kibEach: number }>).map(({ kibEach }) => kibEach)
  expect(Math.max(...grown)).toBeLessThan(2)
})
