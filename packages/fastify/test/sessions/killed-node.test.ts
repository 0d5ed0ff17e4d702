import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { initializeMessage, legacyMessage } from '../../../../test/support/client/index.js'

const program = join(__dirname, '..', 'fixtures', 'node-of-sessions.mjs')
const folder = mkdtempSync(join(tmpdir(), 'sessions-'))
const running: ChildProcess[] = []

afterAll(() => {
  for (const child of running) child.kill('SIGKILL')
  rmSync(folder, { recursive: true })
})

interface Node {
  readonly url: string
  kill(): Promise<void>
}

async function startNode(): Promise<Node> {
  const child = spawn(process.execPath, [program, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  running.push(child)
  const [port] = (await once(child.stdout, 'data')) as [Buffer]
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  return { url: `http://127.0.0.1:${port.toString().trim()}/mcp`, kill }
}

function send({ url }: Node, message: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify(message),
  })
}

it('a session outlives its process if another one shares its store', async () => {
  const first = await startNode()
  const opened = await send(first, initializeMessage('2025-06-18'))
  const headers = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
  await send(first, { jsonrpc: '2.0', method: 'notifications/initialized' }, headers)
  const hanging = send(first, legacyMessage('tools/call', { name: 'hang' }, 'hang'), headers).catch(() => 'cut')

  await first.kill()
  const second = await startNode()

  expect(await hanging).toBe('cut')
  const call = await send(second, legacyMessage('tools/call', { name: 'whoami' }), headers)
  expect([call.status, await call.json()]).toStrictEqual([
    200,
    { jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: 'raw, 2025-06-18' }] } },
  ])
  const unknown = { 'mcp-session-id': '00000000-0000-4000-8000-000000000000' }
  expect((await send(second, legacyMessage('ping'), unknown)).status).toBe(404)
})
