// A program over stdio: its first start works, its second start is silent, and later starts work.
import { appendFileSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [file] = process.argv.slice(2)
appendFileSync(file, `${process.pid}\n`)
const start = readFileSync(file, 'utf8').trim().split('\n').length
if (start === 2) {
  // Ignores the end of its input, like a program that waits for its database.
  setInterval(() => undefined, 1000)
} else {
  const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const answers = {
    initialize: () => ({
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'moody', version: '1.0.0' },
    }),
    'tools/list': () => ({ tools: ['die', 'slow'].map((name) => ({ name, inputSchema: { type: 'object' } })) }),
    'tools/call': () => ({ content: [{ type: 'text', text: `start ${start}` }] }),
  }
  createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line)
    if (id === undefined) return
    if (params?.name === 'die') process.exit(1)
    // Longer than the client needs to end the silent program.
    setTimeout(() => send({ id, result: answers[method]?.() ?? {} }), params?.name === 'slow' ? 5000 : 0)
  })
}
