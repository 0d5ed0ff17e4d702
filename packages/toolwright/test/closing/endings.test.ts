import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { until } from '../../../../test/support/until.js'

const program = join(__dirname, '..', 'fixtures', 'endings', 'main.mjs')
let child: ChildProcess
let logged: string[] = []

afterEach(() => {
  child.kill('SIGKILL')
})

/** Log lines are collected in `logged`. */
function start(env: Record<string, string>, ...flags: readonly string[]): void {
  logged = []
  const all = { ...process.env, PORT: '0', ...env }
  child = fork(program, flags, { env: all, stdio: ['pipe', 'pipe', 'pipe', 'ipc'] })
  collect(child.stderr as Readable)
  // Over stdio there is no log.
  if (flags.length === 0) collect(child.stdout as Readable)
}

function collect(stream: Readable): void {
  createInterface({ input: stream }).on('line', (line) => {
    const { msg } = (line.startsWith('{') ? JSON.parse(line) : {}) as { readonly msg?: string }
    if (msg !== undefined) logged.push(msg)
  })
}

function message(name: string, id: number): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } })
}

describe('a program over HTTP', () => {
  async function listen(env: Record<string, string> = {}): Promise<number[]> {
    start(env)
    const [ports] = (await once(child, 'message')) as [number[]]
    return ports
  }

  async function call(port: number | undefined, name: string): Promise<number> {
    const response = await fetch(`http://127.0.0.1:${port}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: message(name, 1),
    })
    await response.text()
    return response.status
  }

  /** Releases the waiting calls. @returns The exit code. */
  async function release(): Promise<unknown> {
    const exit = once(child, 'exit')
    child.send('release')
    const [code] = (await exit) as unknown[]
    return code
  }

  it('answers calls in flight after an uncaught exception during the shutdown', async () => {
    const [port] = await listen()
    const waiting = call(port, 'wait')
    await until(() => logged.includes('waiting'))
    expect(await call(port, 'throw_twice')).toBe(200)
    await until(() => logged.includes('another uncaught exception, while closing'))

    expect(await release()).toBe(1)
    expect(await waiting).toBe(200)
    expect(logged).toContain('uncaught exception: closing')
  })

  it('ends on a signal when all servers of the program are closed', async () => {
    const [idle, busy] = await listen({ SERVERS: '2' })
    const waiting = call(busy, 'wait')
    await until(() => logged.includes('waiting'))
    child.kill('SIGTERM')
    await until(() =>
      call(idle, 'stray').then(
        () => false,
        () => true,
      ),
    )

    expect(await release()).toBe(0)
    expect(await waiting).toBe(200)
  })

  it.each([
    ['its first server', 'first'],
    ['its first server before it opened another', 'first at once'],
  ])('still drains on a signal when the program has closed %s', async (_which, CLOSE) => {
    const [, open] = await listen({ CLOSE, SERVERS: '2' })
    const waiting = call(open, 'wait')
    await until(() => logged.includes('waiting'))
    child.kill('SIGTERM')
    await until(() =>
      call(open, 'stray').then(
        (status) => status === 503,
        () => true,
      ),
    )

    expect(await release()).toBe(0)
    expect(await waiting).toBe(200)
  })

  it.each(['SIGTERM', 'SIGHUP'] as const)('logs that it closes on %s', async (signal) => {
    await listen({ LEVEL: 'info' })
    const exit = once(child, 'exit')
    child.kill(signal)

    expect(await exit).toEqual([0, null])
    expect(logged).toContain(`${signal}: closing`)
  })

  it('ends at once on a second signal, and logs that', async () => {
    const [port] = await listen()
    const waiting = call(port, 'wait').catch(() => 'cut')
    await until(() => logged.includes('waiting'))
    child.kill('SIGTERM')
    await until(() =>
      call(port, 'stray').then(
        (status) => status === 503,
        () => true,
      ),
    )
    const exit = once(child, 'exit')
    child.kill('SIGTERM')

    expect(await exit).toEqual([1, null])
    expect(await waiting).toBe('cut')
    expect(logged).toContain('second SIGTERM: the process ends at once')
  })

  it('fails when closing fails, logs the reason, and answers the calls of other servers', async () => {
    const [, busy] = await listen({ FAILS: '1', SERVERS: '2' })
    const waiting = call(busy, 'wait')
    await until(() => logged.includes('waiting'))
    child.kill('SIGTERM')
    await until(() => logged.includes('closing failed'))

    expect(await release()).toBe(1)
    expect(await waiting).toBe(200)
    expect(logged.filter((line) => line === 'closing failed')).toHaveLength(2)
  })

  // A native fault would repeat after its listener was called, in an endless loop.
  it.each(['SIGSEGV', 'SIGUSR2'] as const)('leaves %s to Node', async (signal) => {
    await listen()
    const exit = once(child, 'exit')
    child.kill(signal)

    expect(await exit).toEqual([null, signal])
  })

  it('removes its process listeners and its exit code when the program closes it', async () => {
    await listen({ CLOSE: 'all', SERVERS: '2' })
    const [code] = (await once(child, 'exit')) as unknown[]
    expect({ code, logged }).toEqual({ code: 3, logged: ['no listeners left'] })
  })

  it('finishes calls with an infinite drain timeout', async () => {
    const [port] = await listen({ DRAIN_MS: String(2 ** 31) })
    const waiting = call(port, 'wait')
    await until(() => logged.includes('waiting'))
    child.kill('SIGTERM')
    await until(() => call(port, 'stray').then((status) => status === 503))

    expect(await release()).toBe(0)
    expect(await waiting).toBe(200)
  })

  it.each(['stray_getter', 'stray_proxy'])(
    'continues after a rejection with an unreadable reason: %s',
    async (name) => {
      const [port] = await listen()
      expect(await call(port, name)).toBe(200)
      await until(() =>
        logged.some((line) => line.startsWith('unhandled rejection: a promise was rejected without a handler')),
      )

      expect(await call(port, 'stray')).toBe(200)
    },
  )
})

describe('a program over stdio', () => {
  /** @returns A function that writes a message. */
  function open(env: Record<string, string> = {}): (...names: readonly string[]) => void {
    start(env, '--stdio')
    let id = 0
    return (...names) => void child.stdin?.write(names.map((name) => `${message(name, ++id)}\n`).join(''))
  }

  /** Ids of the calls with a result so far. */
  function collectAnswers(): string[] {
    const answers: string[] = []
    createInterface({ input: child.stdout as Readable }).on('line', (line) => {
      const { result } = JSON.parse(line) as { readonly result?: { readonly content: [{ readonly text: string }] } }
      if (result !== undefined) answers.push(result.content[0].text)
    })
    return answers
  }

  it('continues after an unhandled rejection', async () => {
    const send = open()
    const answers = collectAnswers()
    send('wait', 'stray')
    await until(() => logged.includes('unhandled rejection: a promise was rejected without a handler'))
    send('release')
    await until(() => answers.includes('waited'))

    child.stdin?.end()
    expect(await once(child, 'exit')).toEqual([0, null])
  })

  it('closes after an uncaught exception, and answers the calls in flight first', async () => {
    const send = open()
    const answers = collectAnswers()
    send('wait', 'throw_later')
    await until(() => logged.includes('uncaught exception: closing'))
    const exit = once(child, 'exit')
    child.send('release')

    expect(await exit).toEqual([1, null])
    expect(answers).toContain('waited')
  })

  it('cuts calls that exceed the drain timeout, logs that, and fails', async () => {
    const send = open({ DRAIN_MS: '100' })
    send('wait', 'wait_for_ever')
    await until(() => logged.includes('waiting'))
    const exit = once(child, 'exit')
    child.kill('SIGTERM')

    expect(await exit).toEqual([1, null])
    expect(logged).toContain('onDrainTimeout')
  })

  it('fails when closing fails, and logs the reason', async () => {
    const send = open({ FAILS: '1' })
    const answers = collectAnswers()
    send('wait')
    await until(() => logged.includes('waiting'))
    const exit = once(child, 'exit')
    child.kill('SIGTERM')
    child.send('release')

    expect(await exit).toEqual([1, null])
    expect(answers).toEqual(['waited'])
    expect(logged).toContain('closing failed')
  })

  it('waits for calls up to the configured drain timeout', async () => {
    const send = open()
    const answers = collectAnswers()
    send('wait')
    await until(() => logged.includes('waiting'))
    const exit = once(child, 'exit')
    child.stdin?.end()
    // Longer than the default drain timeout.
    await new Promise((resolve) => setTimeout(resolve, 1300))
    child.send('release')

    expect(await exit).toEqual([0, null])
    expect(answers).toEqual(['waited'])
  })

  it('ends although a client does not read', async () => {
    const send = open({ DRAIN_MS: '300' })
    child.stdout?.pause()
    // The server stops reading while its output is not read.
    send('wait', 'fill')
    await until(() => logged.includes('waiting'))
    child.send('release')
    const exit = once(child, 'exit')
    child.stdin?.end()

    expect(await exit).toEqual([1, null])
    expect(logged).toContain('onDrainTimeout')
  })
})
