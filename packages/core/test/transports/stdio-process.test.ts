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

it('keeps stdout for messages: what other code prints goes to stderr', async () => {
  const child = start()
  const [stdout, stderr, exit] = [text(child.stdout), text(child.stderr), once(child, 'exit')]
  child.stdin.end(call(1, 'chat'))
  expect(parseLines(await stdout)).toEqual([answer(1, 'said')])
  expect(await stderr).toBe(
    'tools.mjs is being loaded\nchat on console.log\nchat on console.info\nchat on process.stdout\n',
  )
  expect(await exit).toEqual([0, null])
})

it('exits with code 0 within a second of the end of its input', async () => {
  const child = start()
  const exit = once(child, 'exit')
  child.stdin.write(call(1, 'add', { a: 1, b: 2 }))
  await once(child.stdout, 'data')
  const endedAt = performance.now()
  child.stdin.end()
  expect(await exit).toEqual([0, null])
  expect(performance.now() - endedAt).toBeLessThan(1000)
})

it('lets calls in flight finish when its input ends', async () => {
  const child = start()
  const [stdout, exit] = [text(child.stdout), once(child, 'exit')]
  child.stdin.end(call(1, 'sleep', { ms: 100 }))
  expect(parseLines(await stdout)).toEqual([answer(1, 'rested')])
  expect(await exit).toEqual([0, null])
})

it('sends the whole of a large answer before it exits', async () => {
  const child = start()
  const [stdout, exit] = [text(child.stdout), once(child, 'exit')]
  child.stdin.end(call(1, 'fill', { length: 3_000_000 }))
  expect(parseLines(await stdout)).toEqual([answer(1, 'x'.repeat(3_000_000))])
  expect(await exit).toEqual([0, null])
})

it('survives a client that no longer reads', async () => {
  const child = start()
  const [stderr, exit] = [text(child.stderr), once(child, 'exit')]
  child.stdin.write(call(1, 'add', { a: 1, b: 2 }))
  await once(child.stdout, 'data')
  child.stdout.destroy()
  child.stdin.end(call(2, 'fill', { length: 100_000 }) + call(3, 'chat'))
  expect(await exit).toEqual([0, null])
  expect(await stderr).toContain('chat on console.log\n')
})

it('survives a client that takes no stderr, whatever is printed', async () => {
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

it('gives stdout back when it has served an input that is not the own one, or could not start', async () => {
  const child = spawn(process.execPath, [join(__dirname, '..', 'fixtures', 'stdout-after.mjs')])
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  expect(stdout).toBe('{"jsonrpc":"2.0","id":1,"result":{}}\nrestored\ncould not start\n')
  expect(stderr).toBe('while it serves\n')
})
