import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { connect } from '@toolwright/testing'
import { OrderResources } from '../../docs/snippets/skill/tools/order-resources.js'
import { OrderTools } from '../../docs/snippets/skill/tools/order-tools.js'
import { ReportTools } from '../../docs/snippets/skill/tools/report-tools.js'
import { blocksIn, readPage, root } from './markdown.js'

// The Agent Skill: its format (https://agentskills.io/specification), and its snippets, which run as it says.

const file = 'skills/toolwright/SKILL.md'
const text = readPage(file)

test('the skill has the front matter of the format', () => {
  const [, frontMatter = ''] = /^---\n([^]*?)\n---\n\n# /.exec(text) ?? []
  const fields = Object.fromEntries(frontMatter.split('\n').map((line) => line.split(/: (.*)/)))
  expect(fields).toEqual({ name: 'toolwright', description: expect.any(String) as string, license: 'MIT' })
  expect(fields['description']?.length).toBeLessThanOrEqual(1024)
})

test('the skill is short enough to be loaded whole, and needs no other file', () => {
  expect(text.split('\n').length).toBeLessThan(500)
  expect(text).not.toMatch(/\]\(/)
  expect(blocksIn(file).length).toBeGreaterThan(5)
})

const options = { name: 'shop', version: '1.0.0', controllers: [OrderTools, OrderResources, ReportTools] }
const clerk = { principal: { subject: 'bob' } }
const manager = { principal: { subject: 'ann', roles: ['Manager'] } }

test('the tool of the skill finds an order, and its error says how to correct a wrong number', async () => {
  await using shop = await connect(options, clerk)
  const find = (id: string) => shop.client.callTool({ name: 'find_order', arguments: { id } })
  expect((await find('A-1')).structuredContent).toEqual({ id: 'A-1', status: 'open' })
  expect((await find('A-2')).content).toEqual([
    { type: 'text', text: "There is no order 'A-2'. Ask for the number on the receipt." },
  ])
})

test('the resource, prompt and completion of the skill are served', async () => {
  await using shop = await connect(options, clerk)
  const { contents } = await shop.client.readResource({ uri: 'orders://A-1' })
  expect(contents).toMatchObject([{ mimeType: 'application/json', text: '{"id":"A-1","status":"open"}' }])
  const { messages } = await shop.client.getPrompt({ name: 'answer_complaint', arguments: { id: 'A-1' } })
  expect(messages).toMatchObject([{ content: { text: expect.stringContaining('order A-1') as string } }])
  const ref = { type: 'ref/prompt', name: 'answer_complaint' } as const
  const { completion } = await shop.client.complete({ ref, argument: { name: 'id', value: 'A' } })
  expect(completion.values).toEqual(['A-1'])
})

test('the report of the skill is for managers only', async () => {
  await using shop = await connect(options, manager)
  await using other = await connect(options, clerk)
  const call = { name: 'write_report', arguments: { year: 2030 } }
  expect((await shop.client.callTool(call)).content).toEqual([{ type: 'text', text: 'The report of 2030 is written.' }])
  await expect(other.client.callTool(call)).rejects.toThrow('Forbidden')
})

test("the test of the skill passes with Node's runner", () => {
  const program = join(root, 'docs', 'snippets', 'dist', 'skill', 'tools', 'cancel-tools.test.js')
  const { status, stdout } = spawnSync(process.execPath, ['--test', program], { encoding: 'utf8' })
  expect(stdout).toMatch(/^# pass 1$/m)
  expect(status).toBe(0)
})
