import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { quantile } from './quantile.js'
import { renderTable } from './table.js'

/** Processor time and memory that a process used until it exited. */
export interface Usage {
  readonly cpuMs: number
  readonly residentMiB: number
}

interface Start extends Usage {
  /** From the start of the process to its first answer. */
  readonly wallMs: number
}

interface Program {
  readonly title: string
  /** Path below `benchmarks/dist`. */
  readonly file: string
  readonly transport: 'stdio' | 'http'
}

const hello = '../../samples/hello/dist/main.js'

/** Servers with one tool or many schemas, and a program without a server, which shows the share of Node itself. */
const programs: readonly Program[] = [
  { title: 'stdio start, Toolwright', file: hello, transport: 'stdio' },
  { title: 'stdio start, Toolwright, e-mail pattern', file: './start/email.js', transport: 'stdio' },
  { title: 'stdio start, Toolwright, 118 JSON Schemas', file: './start/schemas.js', transport: 'stdio' },
  { title: 'stdio start, SDK', file: './start/sdk.js', transport: 'stdio' },
  { title: 'stdio start, tmcp', file: './start/tmcp.js', transport: 'stdio' },
  { title: 'stdio start, no server', file: './start/empty.js', transport: 'stdio' },
  { title: 'HTTP start, Toolwright', file: hello, transport: 'http' },
  { title: 'HTTP start, SDK', file: './start/http-sdk.js', transport: 'http' },
]

/** Times the starts in turn, so that a slowdown of the machine affects all programs. @returns `null` if no row is wanted. */
export async function reportStarts(isWanted: (row: Program) => boolean, starts: number): Promise<string | null> {
  const chosen = programs.filter(isWanted)
  if (chosen.length === 0) return null
  const timed = chosen.map((program) => ({ program, found: [] as Start[] }))
  for (let round = 0; round <= starts; round++) {
    for (const { program, found } of timed) {
      const start = await time(program)
      // The first round fills the cache of files.
      if (round > 0) found.push(start)
    }
  }
  const rows = timed.map(({ program, found }) => {
    const middle = (figure: keyof Start): string =>
      quantile(
        found.map((start) => start[figure]),
        0.5,
      ).toFixed(0)
    return [program.title, `${middle('wallMs')} ms`, `${middle('cpuMs')} ms`, `${middle('residentMiB')} MiB`]
  })
  return renderTable(['From spawn to the first tools/call', 'Wall', 'CPU', 'Resident'], rows)
}

const call = { method: 'tools/call', params: { name: 'say_hello', arguments: { name: 'Ada' } } }
const message = JSON.stringify({ jsonrpc: '2.0', id: 1, ...call })

const reportUsage = new URL('./start/report-usage.js', import.meta.url).href

/** Times one start. Toolwright loads its bundles, like the packages that users install. */
async function time({ file, transport }: Program): Promise<Start> {
  const begin = performance.now()
  const program = fileURLToPath(new URL(file, import.meta.url))
  const flag = transport === 'stdio' ? ['--stdio'] : []
  const child = spawn(process.execPath, ['--conditions=toolwright-bundle', '--import', reportUsage, program, ...flag], {
    env: { ...process.env, PORT: '0' },
  })
  const logged = text(child.stderr)
  const exited = once(child, 'exit')
  const lines = createInterface(child.stdout)
  if (transport === 'stdio') child.stdin.write(`${message}\n`)
  const answer = transport === 'stdio' ? await firstLine(lines) : await callOverHttp(lines)
  const wallMs = performance.now() - begin
  if (!answer.includes('"result"')) throw new Error(`${file} answered: ${answer}`)
  child.stdin.end()
  if (transport === 'http') child.kill()
  await exited
  const usage = (await logged).trim().split('\n').at(-1) ?? ''
  return { wallMs, ...(JSON.parse(usage) as Usage) }
}

async function firstLine(lines: ReturnType<typeof createInterface>): Promise<string> {
  const [line] = (await once(lines, 'line')) as [string]
  return line
}

/** Calls the server at the address that it prints. */
async function callOverHttp(lines: ReturnType<typeof createInterface>): Promise<string> {
  for await (const line of lines) {
    const [url] = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(line) ?? []
    if (url === undefined) continue
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const response = await fetch(url, { method: 'POST', headers, body: message })
    return response.text()
  }
  throw new Error('The server printed no address')
}
