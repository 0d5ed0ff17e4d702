import { runSoak } from '../../../test/support/run-soak.js'

// Short runs of what `npm run soak` measures: what has to come out the same every time, and no times.

it('makes nothing for requests that it refuses before it knows who sends them', async () => {
  const flags = ['--requests', 200, '--warm-up', 50, '--memory', 0]
  expect(await runSoak('strangers.mjs', ...flags)).toMatchObject({
    requests: 200,
    made: { sessions: 0, streams: 0, containers: 0 },
    // What is counted would be seen.
    goodCall: { status: 200, containers: 1 },
  })
})

it('keeps no more of a body beyond the limit than the limit, in whatever pieces it comes, and closes', async () => {
  const report = (await runSoak('large-bodies.mjs', '--limit-kib', 128)) as {
    readonly ways: Readonly<Record<string, { readonly keptBeyondLimitKiB?: number }>>
  }
  const kept = Object.values(report.ways).flatMap(({ keptBeyondLimitKiB: kib }) => (kib === undefined ? [] : [kib]))
  expect(kept).toHaveLength(2)
  // What the garbage collector leaves weighs more beside so little.
  expect(Math.max(...kept)).toBeLessThan(512)
})

it('answers what is hidden byte for byte as what is not there', async () => {
  const report = (await runSoak('forbidden.mjs', '--calls', 100, '--warm-up', 5)) as object
  const kinds = ['tool', 'toolOfLegacy', 'prompt', 'resource']
  const answers = Object.entries(report).map(([kind, { answers: different }]) => [kind, different])
  expect(answers).toEqual(kinds.map((kind) => [kind, 1]))
})

it('answers mixed calls of 64 connections at once, every one of them rightly', async () => {
  const flags = ['--rounds', 1, '--seconds', 1, '--warm-up-seconds', 0.3]
  expect(await runSoak('latency.mjs', ...flags)).toMatchObject({
    errors: 0,
    rounds: [{ toolwright: { errors: 0 }, sdk: { errors: 0 } }],
  })
})
