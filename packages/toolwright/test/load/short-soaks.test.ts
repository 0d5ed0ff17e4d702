import { runSoak } from '../../../../test/support/run-soak.js'

// Short runs of `npm run soak`: results that are the same every time, without timings.

it('a server creates no session, stream or container for requests that it rejects before authentication', async () => {
  const flags = ['--requests', 200, '--warm-up', 50, '--memory', 0]
  expect(await runSoak('strangers.mjs', ...flags)).toMatchObject({
    requests: 200,
    made: { sessions: 0, streams: 0, containers: 0 },
    // Control: a successful call creates objects.
    goodCall: { status: 200, containers: 1 },
  })
})

it('a server buffers no more of a body than the limit, in pieces of any size, and closes the connection', async () => {
  const report = (await runSoak('large-bodies.mjs', '--limit-kib', 128)) as {
    readonly ways: Readonly<Record<string, { readonly keptBeyondLimitKiB?: number }>>
  }
  const kept = Object.values(report.ways).flatMap(({ keptBeyondLimitKiB: kib }) => (kib === undefined ? [] : [kib]))
  expect(kept).toHaveLength(2)
  // In a short run, garbage has a larger share.
  expect(Math.max(...kept)).toBeLessThan(512)
})

it('a server answers hidden features byte for byte like unknown ones', async () => {
  const report = (await runSoak('forbidden.mjs', '--calls', 100, '--warm-up', 5)) as object
  const kinds = ['tool', 'toolOfLegacy', 'prompt', 'resource']
  const answers = Object.entries(report).map(([kind, { answers: different }]) => [kind, different])
  expect(answers).toEqual(kinds.map((kind) => [kind, 1]))
})

it('a server answers mixed concurrent calls of 64 connections correctly', async () => {
  const flags = ['--rounds', 1, '--seconds', 1, '--warm-up-seconds', 0.3]
  expect(await runSoak('latency.mjs', ...flags)).toMatchObject({
    errors: 0,
    rounds: [{ toolwright: { errors: 0 }, sdk: { errors: 0 } }],
  })
})
