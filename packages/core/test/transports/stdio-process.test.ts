import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

const program = join(__dirname, '..', 'fixtures', 'server.mjs')

function start(): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [program])
}

function call(id: number, name: string, args?: object): string {
  return `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } })}\n`
}

function answer(id: number, result: string): object {
  return { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: result }] } }
}

function parseLines(output: string): unknown[] {
  expect(output.endsWith('\n')).toBe(true)
  return output
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

it('a stdio program keeps stdout for messages, and sends other output to stderr', async () => {
  const child = start()
  const [stdout, stderr, exit] = [text(child.stdout), text(child.stderr), once(child, 'exit')]
  child.stdin.end(call(1, 'chat'))
  expect(parseLines(await stdout)).toEqual([answer(1, 'said')])
  expect(await stderr).toBe(
    'tools.mjs is being loaded\nchat on console.log\nchat on console.info\nchat on process.stdout\n',
  )
  expect(await exit).toEqual([0, null])
})

it('a stdio program exits with code 0 within a second of the end of its input', async () => {
  const child = start()
  const exit = once(child, 'exit')
  child.stdin.write(call(1, 'add', { a: 1, b: 2 }))
  await once(child.stdout, 'data')
  const endedAt = performance.now()
  child.stdin.end()
  expect(await exit).toEqual([0, null])
  expect(performance.now() - endedAt).toBeLessThan(1000)
})

it('a stdio program finishes calls in flight when its input ends', async () => {
  const child = start()
  const [stdout, exit] = [text(child.stdout), once(child, 'exit')]
  child.stdin.end(call(1, 'sleep', { ms: 100 }))
  expect(parseLines(await stdout)).toEqual([answer(1, 'rested')])
  expect(await exit).toEqual([0, null])
})

it('a stdio program sends all of a large response before it exits', async () => {
  const child = start()
  const [stdout, exit] = [text(child.stdout), once(child, 'exit')]
  child.stdin.end(call(1, 'fill', { length: 3_000_000 }))
  expect(parseLines(await stdout)).toEqual([answer(1, 'x'.repeat(3_000_000))])
  expect(await exit).toEqual([0, null])
})

it('a stdio program survives a client that stops reading', async () => {
  const child = start()
  const [stderr, exit] = [text(child.stderr), once(child, 'exit')]
  child.stdin.write(call(1, 'add', { a: 1, b: 2 }))
  await once(child.stdout, 'data')
  child.stdout.destroy()
  child.stdin.end(call(2, 'fill', { length: 100_000 }) + call(3, 'chat'))
  expect(await exit).toEqual([0, null])
  expect(await stderr).toContain('chat on console.log\n')
})

it('a stdio program survives a client that does not read stderr, regardless of the amount of output', async () => {
  const child = start()
  const exit = once(child, 'exit')
  child.stdin.write(call(1, 'add', { a: 1, b: 2 }))
  await once(child.stdout, 'data')
  child.stderr.destroy()
  for (const id of [2, 3]) {
    child.stdin.write(call(id, 'chat'))
    // oxlint-disable-next-line no-await-in-loop
    const [line] = (await Promise.race([once(child.stdout, 'data'), exit])) as unknown[]
    expect(parseLines(String(line))).toEqual([answer(id, 'said')])
  }
  child.stdin.end()
  expect(await exit).toEqual([0, null])
})

it('a stdio program restores stdout when it has served another stream than stdin, or could not start', async () => {
  const child = spawn(process.execPath, [join(__dirname, '..', 'fixtures', 'stdout-after.mjs')])
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  expect(stdout).toBe('{"jsonrpc":"2.0","id":1,"result":{}}\nrestored\ncould not start\n')
  expect(stderr).toBe('while it serves\n')
})
