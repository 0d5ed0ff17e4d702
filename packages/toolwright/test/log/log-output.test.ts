import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

const program = join(__dirname, '..', 'fixtures', 'logging', 'main.mjs')
let child: ChildProcess

afterEach(() => {
  child.kill('SIGKILL')
})

/** @param stdout The destination of the log. @returns The port of the program. */
async function start(stdout: 'pipe' | number): Promise<number> {
  child = fork(program, { env: { ...process.env, PORT: '0' }, stdio: ['ignore', stdout, 'inherit', 'ipc'] })
  const [port] = (await once(child, 'message')) as [number]
  return port
}

/** Calls a failing tool, which is logged with the whole error. */
async function call(port: number): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'fail' } }),
  })
  return response.text()
}

/** Ends the program like an orchestrator. @returns Its exit, and the duration in milliseconds. */
async function stop(): Promise<{ code: number | null; ms: number }> {
  const began = performance.now()
  child.send('disconnect')
  child.kill('SIGTERM')
  const [code] = (await once(child, 'exit')) as [number | null]
  return { code, ms: performance.now() - began }
}

interface Line {
  readonly level: number
  readonly msg: string
  readonly reqId?: string
  readonly lines?: number
  readonly index?: number
}

/** Log lines from now on, up to the end of the program. */
async function readLines(stdout: Readable): Promise<Line[]> {
  const lines: Line[] = []
  for await (const text of createInterface({ input: stdout })) {
    // The summary at the start is for people, not JSON.
    if (text.startsWith('{"level"')) lines.push(JSON.parse(text) as Line)
  }
  return lines
}

const answered = /"isError":true/

const unwritable: [what: string, open: () => number][] = [['cannot be written', () => openSync(program, 'r')]]
if (process.platform === 'linux') unwritable.push(['is on a full disk', () => openSync('/dev/full', 'w')])

it.each(unwritable)('a program serves and ends while its log %s', async (_, open) => {
  const port = await start(open())

  for (let round = 0; round < 3; round++) expect(await call(port)).toMatch(answered)
  const { code, ms } = await stop()
  expect(code).toBe(0)
  expect(ms).toBeLessThan(2000)
})

it('a program serves while its log is not read, and then logs the number of dropped lines', async () => {
  const port = await start('pipe')
  const calls = 300
  // 3 MB: more than the pipe and the buffer.
  for (let round = 0; round < calls; round++) expect(await call(port)).toMatch(answered)
  const reading = readLines(child.stdout as Readable)
  await stop()

  const lines = await reading
  const [loss, ...more] = lines.filter((line) => line.lines !== undefined)
  expect(loss).toMatchObject({ level: 40, msg: 'lines of this log could not be written' })
  expect(more).toStrictEqual([])
  expect(loss?.lines).toBeGreaterThan(100)
  // For each call: the request, the error, and the response. The line about the shutdown may be dropped as well.
  const told = lines.filter(({ reqId, msg }) => reqId !== undefined || msg === 'SIGTERM: closing')
  expect(told).toHaveLength(calls * 3 + 1 - (loss?.lines ?? 0))
})

it('a program ends while its log is not read', async () => {
  const port = await start('pipe')
  for (let round = 0; round < 50; round++) await call(port)

  const { code, ms } = await stop()
  expect(code).toBe(0)
  expect(ms).toBeLessThan(2000)
})

it.each([
  ['process.exit(3)', 3, null],
  ["host.log.fatal('end'), process.kill(process.pid, 'SIGKILL')", null, 'SIGKILL'],
])('a program writes all lines in order before %s', async (end, code, signal) => {
  const source = `
    import { createHost } from 'toolwright'
    const host = await createHost({ name: 'ending', version: '1.0.0', controllers: [] })
    for (let index = 0; index < 1000; index++) host.log.info({ index }, 'line')
    ${end}`
  const args = ['--input-type=module', '--eval', source]
  child = spawn(process.execPath, args, { cwd: join(__dirname, '..'), stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  const lines = await readLines(child.stdout as Readable)

  expect(await ended).toEqual([code, signal])
  const indexes = lines.filter(({ msg }) => msg === 'line').map(({ index }) => index)
  expect(indexes).toEqual(Array.from({ length: 1000 }, (_, index) => index))
})
