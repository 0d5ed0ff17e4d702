// A stdio server of the legacy era, with the fault that its argument names.
import { createInterface } from 'node:readline'

const [, , mode] = process.argv
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const text = (value) => ({ content: [{ type: 'text', text: value }] })

if (mode === 'noise') process.stdout.write('listening')

const methods = {
  initialize: () => ({
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'raw', version: '1' },
  }),
  'tools/list': () => ({
    tools: ['run', 'notes.js', '-dash'].map((name) => ({ name, inputSchema: { type: 'object' } })),
  }),
  'tools/call': ({ name, _meta }) => {
    if (mode === 'dies') {
      process.stderr.write('out of paper\n', () => process.exit(7))
      return undefined
    }
    if (mode === 'big') return text('x'.repeat(11 * 2 ** 20))
    if (mode === 'progress') {
      const { progressToken } = _meta
      for (const [progress, message] of [
        [1, 'one'],
        [2, undefined],
      ]) {
        send({ method: 'notifications/progress', params: { progressToken, progress, total: 2, message } })
      }
    }
    return text(`called ${name}`)
  },
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) continue
  const result = methods[method]?.(params)
  if (methods[method] === undefined) send({ id, error: { code: -32601, message: 'unknown method' } })
  else if (result !== undefined) send({ id, result })
}
