import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hookFaults } from '../../packages/core/test/hooks/hook-failures.js'
import { readPage, root } from './markdown.js'

// The table of faults is generated from the test of the faults, with a row for all hooks and faults with the same
// outcome. Run with DOCS=write to update it.

const page = 'docs/reference/hooks.md'
const head = '| Hook | Faults | Client gets | Handler runs | Logged |\n| --- | --- | --- | --- | --- |\n'

test('the reference shows every tested fault of a hook', () => {
  const text = readPage(page)
  const start = text.indexOf(head) + head.length
  const end = text.indexOf('\n\n', start)
  const faults = new Map<string, string[]>()
  for (const { hook, fault, client, handler, logged } of hookFaults) {
    const outcome = [client, handler === 1 ? 'once' : 'never', logged].join(' | ')
    const key = `${code(hook)}\n${outcome}`
    faults.set(key, [...(faults.get(key) ?? []), fault])
  }
  const hooks = new Map<string, string[]>()
  for (const [key, alike] of faults) {
    const [hook = '', outcome] = key.split('\n')
    const isEvery = hookFaults.filter((each) => code(each.hook) === hook).length === alike.length
    const row = `${isEvery ? 'every fault' : alike.join('; ')} | ${outcome}`
    hooks.set(row, [...(hooks.get(row) ?? []), hook])
  }
  const rows = [...hooks].map(([row, alike]) => `| ${alike.join('; ')} | ${row} |`)
  const expected = text.slice(0, start) + rows.join('\n') + text.slice(end)
  if (process.env['DOCS'] === 'write') writeFileSync(join(root, page), expected)
  expect(text.indexOf(head)).toBeGreaterThan(0)
  expect(readPage(page)).toBe(expected)
})

/** `around`, before `next` */
function code(hook: string): string {
  return hook.replaceAll(/\b(around|next|on\w+)\b/g, '`$1`')
}

test('the sentence about other hooks holds for every fault', () => {
  const expected = { 'the result': 'onCompleted', 'the client requests': 'onInputRequired' } as const
  const wrong = hookFaults.filter(
    ({ client, others }) => others !== (client in expected ? expected[client as keyof typeof expected] : 'onFailed'),
  )
  expect(wrong).toEqual([])
})
