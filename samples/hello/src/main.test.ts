import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('./main.js', import.meta.url))

const _meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}

test('greets the given name over stdio', async () => {
  const server = spawn(process.execPath, [program, '--stdio'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const params = { name: 'say_hello', arguments: { name: 'Ada' }, _meta }
  server.stdin.end(
    `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })}\n`,
  )
  const { result } = JSON.parse(await text(server.stdout)) as {
    result: { content: unknown }
  }
  assert.deepEqual(result.content, [{ type: 'text', text: 'Hello, Ada!' }])
})
