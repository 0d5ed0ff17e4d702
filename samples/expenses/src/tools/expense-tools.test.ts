import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { connect, type TestConnection } from '@toolwright/testing'
import { container } from 'toolwright'
import { ExpenseFile } from '../expenses/expense-file.js'
import { ExpenseTools } from './expense-tools.js'

const lunch = { date: '2030-01-31', category: 'food', euros: 12.34 }
const train = { date: '2030-02-01', category: 'travel', euros: 0.1 }

/** Runs a test with an empty folder, and removes the folder. */
async function withFile(run: (file: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'expenses-'))
  try {
    await run(join(folder, 'data', 'expenses.json'))
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function open(file: string, role: string): Promise<TestConnection> {
  const services = container.createChildContainer()
  services.registerInstance(ExpenseFile, await ExpenseFile.open(file))
  const options = {
    name: 'test',
    version: '1.0.0',
    controllers: [ExpenseTools],
    container: services,
  }
  return connect(options, { principal: { subject: 'ada', roles: [role] } })
}

async function call(
  { client }: TestConnection,
  name: string,
  args: Record<string, unknown> = {},
): Promise<unknown> {
  const { structuredContent, content, isError } = await client.callTool({
    name,
    arguments: args,
  })
  const [first] = content as { text: string }[]
  return isError === true
    ? { error: first?.text }
    : (structuredContent ?? first?.text)
}

test('a reader lists expenses, but cannot add one', () =>
  withFile(async (file) => {
    await using reader = await open(file, 'reader')
    const { tools } = await reader.client.listTools()
    assert.deepEqual(tools.map(({ name }) => name).toSorted(), [
      'count_expenses',
      'list_expenses',
    ])
    assert.deepEqual(await call(reader, 'list_expenses'), {
      expenses: [],
      euros: 0,
    })
    await assert.rejects(call(reader, 'add_expense', lunch), /Forbidden/)
  }))

test('expenses are in the file after a restart', () =>
  withFile(async (file) => {
    await using writer = await open(file, 'writer')
    assert.deepEqual(await call(writer, 'add_expense', lunch), {
      id: 1,
      ...lunch,
    })
    await call(writer, 'add_expense', train)

    await using restarted = await open(file, 'reader')
    const expenses = [
      { id: 1, ...lunch },
      { id: 2, ...train },
    ]
    assert.deepEqual(await call(restarted, 'list_expenses'), {
      expenses,
      euros: 12.44,
    })
    assert.deepEqual(
      await call(restarted, 'list_expenses', { category: 'travel' }),
      {
        expenses: [{ id: 2, ...train }],
        euros: 0.1,
      },
    )
  }))

test('expenses that are added at once are all in the file', () =>
  withFile(async (file) => {
    await using writer = await open(file, 'writer')
    await Promise.all(
      Array.from({ length: 20 }, () => call(writer, 'add_expense', lunch)),
    )
    const { expenses } = JSON.parse(await readFile(file, 'utf8')) as {
      expenses: { id: number }[]
    }
    assert.deepEqual(
      expenses.map(({ id }) => id),
      Array.from({ length: 20 }, (_, index) => index + 1),
    )
  }))

test('the id of a removed expense is not used again', () =>
  withFile(async (file) => {
    await using writer = await open(file, 'writer')
    await call(writer, 'add_expense', lunch)
    assert.equal(
      await call(writer, 'remove_expense', { id: 1 }),
      'Removed expense 1',
    )
    assert.deepEqual(await call(writer, 'remove_expense', { id: 1 }), {
      error: 'There is no expense 1. list_expenses lists the ids.',
    })
    assert.deepEqual(await call(writer, 'add_expense', lunch), {
      id: 2,
      ...lunch,
    })
  }))
