import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

/** The output of a program until it ended. */
export interface Printed {
  readonly stdout: string
  readonly stderr: string
}

export interface RunningServer {
  readonly port: number
  /** The output until it was ready, without log lines. */
  readonly greeting: string
  stop(): Promise<void>
}

export interface StartOptions {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
}

/** Runs a Node program until it ends. */
export async function run(args: readonly string[], { cwd, env }: StartOptions): Promise<Printed> {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const stdout = collect(child.stdout)
  const stderr = collect(child.stderr)
  await once(child, 'close')
  return { stdout: stdout(), stderr: stderr() }
}

/** Starts a program that calls `serve`, on a separate port. */
export async function startServer(args: readonly string[], { cwd, env }: StartOptions): Promise<RunningServer> {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...process.env, ...env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const stderr = collect(child.stderr)
  const stdout = collect(child.stdout)
  const greeting = await waitFor(child, () => readGreeting(stdout()), stderr)
  return {
    port: Number(/:(\d+)\//.exec(greeting)?.[1]),
    greeting,
    stop: async () => {
      const closed = once(child, 'close')
      child.kill()
      await closed
    },
  }
}

/** `null` until the curl command is complete. */
function readGreeting(printed: string): string | null {
  const text = printed
    .split('\n')
    .filter((line) => !line.startsWith('{"level"'))
    .join('\n')
  return /curl .*\\\n.*\n/.test(text) ? text.trim() : null
}

function waitFor(child: ChildProcess, read: () => string | null, stderr: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', () => {
      const text = read()
      if (text !== null) resolve(text)
    })
    child.once('close', (code) => reject(new Error(`the server ended with code ${code}\n${stderr()}`)))
  })
}

function collect(stream: NodeJS.ReadableStream): () => string {
  const chunks: Buffer[] = []
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  return () => Buffer.concat(chunks).toString('utf8')
}

/** Sends the request of a curl command to another port, and returns the body of the response. */
export async function curl(command: string, port: number): Promise<string> {
  const words = splitWords(command.replaceAll('\\\n', ' '))
  if (words.shift() !== 'curl') throw new Error(`no curl command: ${command}`)
  const headers: [string, string][] = []
  let url = ''
  let body: string | undefined
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word === '-H') headers.push((words.shift() ?? '').split(': ') as [string, string])
    else if (word === '-d') body = words.shift()
    else if (word.startsWith('http')) url = word
    else if (word !== '-s' && word !== '-sN') throw new Error(`this test cannot do ${word} of curl`)
  }
  const target = new URL(url)
  target.port = String(port)
  const response = await fetch(target, { headers, ...(body === undefined ? {} : { method: 'POST', body }) })
  return (await response.text()).trim()
}

function splitWords(command: string): string[] {
  return [...command.matchAll(/'([^']*)'|(\S+)/g)].map((match) => match[1] ?? match[2] ?? '')
}
