import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type ConnectOptions,
  connect,
  type TestConnection,
} from '@toolwright/testing'
import { container } from 'toolwright'
import { type Issues, issuesToken } from '../issues/issues.js'
import { MemoryIssues } from '../issues/memory-issues.js'
import { TriagePrompts } from '../prompts/triage-prompts.js'
import { IssueResources } from '../resources/issue-resources.js'
import { ExportTools } from './export-tools.js'
import { IssueTools } from './issue-tools.js'

/** A tracker with a fake repository, and a client with a role. */
async function open(
  role: string,
  { titles = [] as readonly string[], ...more }: Setup = {},
): Promise<Tracker> {
  const issues: Issues = new MemoryIssues()
  for (const title of titles)
    await issues.add({ title, body: '', label: 'bug', author: 'ada' })
  const services = container.createChildContainer()
  services.registerInstance(issuesToken, issues)
  const controllers = [IssueTools, ExportTools, IssueResources, TriagePrompts]
  const options = {
    name: 'test',
    version: '1.0.0',
    controllers,
    container: services,
  }
  return Object.assign(
    await connect(options, {
      principal: { subject: 'ada', roles: [role] },
      ...more,
    }),
    { issues },
  )
}

type Setup = ConnectOptions & { readonly titles?: readonly string[] }
type Tracker = TestConnection & { readonly issues: Issues }

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

test('roles decide which tools are listed', async () => {
  const reading = ['count_issues', 'export_issues', 'get_issue', 'list_issues']
  const tools = {
    guest: ['count_issues'],
    reader: reading,
    writer: [...reading, 'create_issue', 'update_issue'],
    admin: [...reading, 'create_issue', 'delete_issue', 'update_issue'],
  }
  for (const [role, expected] of Object.entries(tools)) {
    await using tracker = await open(role)
    const listed = (await tracker.client.listTools()).tools.map(
      ({ name }) => name,
    )
    assert.deepEqual(listed.toSorted(), expected.toSorted(), role)
  }
})

test('a writer creates and closes issues, and is their author', async () => {
  await using tracker = await open('writer')
  const created = await call(tracker, 'create_issue', {
    title: 'It crashes',
    label: 'bug',
  })
  assert.deepEqual(created, await tracker.issues.find(1))
  await call(tracker, 'update_issue', { id: 1, status: 'closed' })
  const { status, author, title } = (await tracker.issues.find(1)) ?? {}
  assert.deepEqual(
    { status, author, title },
    { status: 'closed', author: 'ada', title: 'It crashes' },
  )
  assert.deepEqual(await call(tracker, 'count_issues'), { open: 0, closed: 1 })
})

test('issues are listed page by page', async () => {
  await using tracker = await open('reader', {
    titles: ['a', 'b', 'c', 'd', 'e'],
  })
  const titles: string[] = []
  let cursor: string | undefined
  do {
    const page = await call(tracker, 'list_issues', {
      limit: 2,
      ...(cursor === undefined ? {} : { cursor }),
    })
    const { issues, nextCursor } = page as {
      issues: { title: string }[]
      nextCursor?: string
    }
    titles.push(issues.map(({ title }) => title).join())
    cursor = nextCursor
  } while (cursor !== undefined)
  assert.deepEqual(titles, ['a,b', 'c,d', 'e'])
})

test('errors contain the next step for the model', async () => {
  await using tracker = await open('admin')
  const missing = {
    error: 'There is no issue 7. Call list_issues for the ids.',
  }
  for (const name of ['get_issue', 'update_issue', 'delete_issue']) {
    assert.deepEqual(await call(tracker, name, { id: 7 }), missing)
  }
  assert.deepEqual(
    await call(tracker, 'list_issues', { limit: 0, status: 'lost' }),
    {
      error: `Invalid arguments for tool 'list_issues': 'status' must be one of "open", "closed"; 'limit' must be at least 1.`,
    },
  )
})

for (const era of ['modern', 'legacy'] as const) {
  test(`an admin confirms before an issue is deleted, ${era}`, async () => {
    const client = { capabilities: { elicitation: {} } }
    await using tracker = await open('admin', {
      titles: ['old', 'new'],
      era,
      client,
    })
    const questions: string[] = []
    const answer = (response: object) =>
      tracker.client.setRequestHandler('elicitation/create', ({ params }) => {
        questions.push(params.message)
        return response as never
      })

    answer({ action: 'decline' })
    assert.equal(
      await call(tracker, 'delete_issue', { id: 1 }),
      'Kept issue 1.',
    )
    answer({ action: 'accept', content: { delete: false } })
    assert.equal(
      await call(tracker, 'delete_issue', { id: 1 }),
      'Kept issue 1.',
    )
    answer({ action: 'accept', content: { delete: true } })
    assert.equal(
      await call(tracker, 'delete_issue', { id: 1 }),
      'Deleted issue 1.',
    )
    assert.deepEqual(
      new Set(questions),
      new Set(['Delete issue 1, "old", permanently?']),
    )
    assert.deepEqual(
      (await tracker.issues.list({}, { limit: 9 })).map(({ id }) => id),
      [2],
    )
  })
}

test('nothing is deleted through a client that cannot ask its user', async () => {
  await using tracker = await open('admin', { titles: ['old'], era: 'legacy' })
  assert.deepEqual(await call(tracker, 'delete_issue', { id: 1 }), {
    error: 'Missing required client capability: elicitation.form',
  })
  assert.notEqual(await tracker.issues.find(1), null)
})

test('an export is CSV without formulas, and reports its progress', async () => {
  const titles = Array.from({ length: 250 }, (_, index) => `Issue ${index + 1}`)
  await using tracker = await open('reader', {
    titles: ['=cmd()', 'Two, "quoted"', ...titles],
  })
  const progress: unknown[] = []
  const { content } = await tracker.client.callTool(
    { name: 'export_issues', arguments: {} },
    { onprogress: (update) => progress.push(update) },
  )
  const [{ text } = { text: '' }] = content as { text: string }[]
  const lines = text.split('\r\n')
  assert.deepEqual(
    progress,
    [100, 200, 252].map((done) => ({ progress: done, total: 252 })),
  )
  assert.equal(lines.length, 253)
  assert.equal(lines[0], 'id,title,label,status,author,createdAt')
  assert.match(lines[1] ?? '', /^1,'=cmd\(\),bug,open,ada,/)
  assert.match(lines[2] ?? '', /^2,"Two, ""quoted""",bug,open,ada,/)
})

test('an issue is a resource, whose subscribers are notified of changes', async () => {
  await using tracker = await open('writer', { titles: ['old'], era: 'legacy' })
  const updated = new Promise((resolve) => {
    tracker.client.setNotificationHandler(
      'notifications/resources/updated',
      ({ params }) => resolve(params.uri),
    )
  })
  await tracker.client.subscribeResource({ uri: 'issue://1' })
  await call(tracker, 'update_issue', { id: 1, title: 'new' })
  assert.equal(await updated, 'issue://1')
  const { contents } = await tracker.client.readResource({ uri: 'issue://1' })
  assert.deepEqual(
    JSON.parse((contents[0] as { text: string }).text),
    await tracker.issues.find(1),
  )
  await assert.rejects(
    tracker.client.readResource({ uri: 'issue://2' }),
    /not found/,
  )
})

test('ids and labels are completed', async () => {
  await using tracker = await open('writer', { titles: ['a', 'b'] })
  await tracker.issues.add({
    title: 'c',
    body: '',
    label: 'docs',
    author: 'ada',
  })
  const complete = async (ref: object, name: string, value: string) =>
    (
      await tracker.client.complete({
        ref: ref as never,
        argument: { name, value },
      })
    ).completion.values
  assert.deepEqual(
    await complete({ type: 'ref/prompt', name: 'triage' }, 'label', ''),
    ['bug', 'docs'],
  )
  assert.deepEqual(
    await complete({ type: 'ref/prompt', name: 'triage' }, 'label', 'd'),
    ['docs'],
  )
  assert.deepEqual(
    await complete({ type: 'ref/resource', uri: 'issue://{id}' }, 'id', '2'),
    ['2'],
  )
  const { messages } = await tracker.client.getPrompt({
    name: 'triage',
    arguments: { label: 'docs' },
  })
  assert.match(JSON.stringify(messages), /label 'docs'/)
})
