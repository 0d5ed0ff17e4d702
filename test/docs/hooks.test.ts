import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hookFaults } from '../../packages/core/test/hooks/hook-faults.js'
import { readPage, root } from './markdown.js'

// The table of faults is that of the test which runs them. Run with DOCS=write to bring it up to date.

const page = 'docs/reference/hooks.md'
const head = '| Hook | Fault | Client gets | Handler runs | Others | Logged |\n| --- | --- | --- | --- | --- | --- |\n'

test('the reference shows every fault of a hook that is tested', () => {
  const text = readPage(page)
  const start = text.indexOf(head) + head.length
  const end = text.indexOf('\n\n', start)
  const rows = hookFaults.map(
    ({ hook, fault, client, handler, others, logged }) =>
      `| ${code(hook)} | ${fault} | ${client} | ${handler === 1 ? 'once' : 'never'} | \`${others}\` | ${logged} |`,
  )
  const expected = text.slice(0, start) + rows.join('\n') + text.slice(end)
  if (process.env['DOCS'] === 'write') writeFileSync(join(root, page), expected)
  expect(text.indexOf(head)).toBeGreaterThan(0)
  expect(readPage(page)).toBe(expected)
})

/** `around`, before `next` */
function code(hook: string): string {
  return hook.replaceAll(/\b(around|next|on\w+)\b/g, '`$1`')
}
