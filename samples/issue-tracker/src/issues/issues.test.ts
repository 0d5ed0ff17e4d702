import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Issues } from './issues.js'
import { MemoryIssues } from './memory-issues.js'
import { openIssues } from './open-issues.js'

// The fake repository of other tests passes the same tests as the real
// database, so that it behaves like the database.
const kinds: Record<string, () => Promise<Issues>> = {
  memory: async () => new MemoryIssues(),
  SQLite: () => openIssues(':memory:'),
}

const needsSqlite = isBuiltin('node:sqlite')
  ? false
  : 'needs Node 22.13 or newer'

for (const [kind, open] of Object.entries(kinds)) {
  const options = { skip: kind === 'SQLite' && needsSqlite }

  test(
    `issues in ${kind} are added, found, changed and removed`,
    options,
    async () => {
      const issues = await open()
      const added = await issues.add({
        title: "Robert'); DROP TABLE issues;--",
        body: '',
        label: 'bug',
        author: 'ada',
      })
      assert.equal(added.id, 1)
      assert.equal(added.status, 'open')
      assert.ok(Math.abs(Date.parse(added.createdAt) - Date.now()) < 60_000)
      assert.deepEqual(await issues.find(1), added)

      const changed = { ...added, body: 'Steps', status: 'closed' }
      assert.deepEqual(
        await issues.update(1, { body: 'Steps', status: 'closed' }),
        changed,
      )
      assert.deepEqual(await issues.find(1), changed)

      assert.equal(await issues.remove(1), true)
      assert.deepEqual(
        [
          await issues.find(1),
          await issues.update(1, {}),
          await issues.remove(1),
        ],
        [null, null, false],
      )
      issues.close()
    },
  )

  test(
    `issues in ${kind} are filtered, paged and counted`,
    options,
    async () => {
      const issues = await open()
      for (const label of ['bug', 'docs', 'bug', 'bug'])
        await issues.add({ title: 'T', body: '', label, author: 'ada' })
      await issues.update(3, { status: 'closed' })
      const ids = async (...args: Parameters<Issues['list']>) =>
        (await issues.list(...args)).map(({ id }) => id)

      assert.deepEqual(await ids({}, { limit: 3 }), [1, 2, 3])
      assert.deepEqual(await ids({}, { after: 3, limit: 3 }), [4])
      assert.deepEqual(
        await ids({ label: 'bug', status: 'open' }, { limit: 3 }),
        [1, 4],
      )
      assert.deepEqual(
        [
          await issues.count({}),
          await issues.count({ status: 'closed', label: 'bug' }),
        ],
        [4, 1],
      )
      assert.deepEqual(await issues.labels(), ['bug', 'docs'])
      issues.close()
    },
  )

  test(
    `issues in ${kind} never get the id of a removed issue`,
    options,
    async () => {
      const issues = await open()
      const issue = { title: 'T', body: '', label: 'bug', author: 'ada' }
      await issues.add(issue)
      await issues.remove(1)
      assert.equal((await issues.add(issue)).id, 2)
      issues.close()
    },
  )
}

test('a file that cannot be opened is named', {
  skip: needsSqlite,
}, async () => {
  await assert.rejects(
    openIssues('/nowhere/issues.db'),
    /database \/nowhere\/issues\.db cannot be opened: .*Set DATABASE/,
  )
})

test('issues in a SQLite file survive a restart', {
  skip: needsSqlite,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'issues-'))
  try {
    const before = await openIssues(join(folder, 'issues.db'))
    const added = await before.add({
      title: 'T',
      body: '',
      label: 'bug',
      author: 'ada',
    })
    before.close()
    const after = await openIssues(join(folder, 'issues.db'))
    assert.deepEqual(await after.find(1), added)
    after.close()
  } finally {
    rmSync(folder, { recursive: true })
  }
})
