import { runSoak } from '../../../test/support/run-soak.js'

// A short run of `npm run soak`, without its memory and timings.

test('ended logins and refreshes leave no entries behind in the store', async () => {
  const flags = ['--logins', 12, '--refreshes', 30, '--warm-up', 4, '--settle-ms', 0]
  expect(await runSoak('logins.mjs', ...flags)).toMatchObject({
    login: { count: 12, entriesMore: 0 },
    refresh: { count: 30, entriesMore: 0 },
  })
})
