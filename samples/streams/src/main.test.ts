import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { connect } from '@toolwright/client'
import type { FileTools } from './tools/file-tools.js'

const program = fileURLToPath(new URL('./main.js', import.meta.url))

test('stores an uploaded file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'streams-'))
  const env = { ...process.env, PORT: '0', ARCHIVE: join(folder, 'archive') }
  const server = spawn(process.execPath, [program], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  try {
    await using client = await connect(await addressOf(server.stdout))
    const stream = await client
      .streams<FileTools>()
      .uploadFile({ name: 'today.csv' })
    const writer = stream.writable.getWriter()
    await writer.write(Buffer.from('12.5\n'))
    await writer.close()
    const { name, bytes } = await stream.done
    assert.deepEqual({ name, bytes }, { name: 'today.csv', bytes: 5 })
  } finally {
    server.kill()
    await rm(folder, { recursive: true })
  }
})

/** Returns the address of the endpoint that the server prints. */
async function addressOf(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    const [address] = /http:\S+\/mcp/.exec(line) ?? []
    if (address !== undefined) return address
  }
  throw new Error('The server printed no address')
}
