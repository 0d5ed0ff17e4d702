import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { proxy } from '@toolwright/proxy'
import { createServer } from 'toolwright'
import { answerMessages } from '../child.js'
import { callParams } from '../requests.js'

/** How a caller reaches the tool of a server: with the official client, or through a server with a proxy. */
export type CallerKind = 'official' | 'proxied'

interface CallerMessage {
  readonly kind: CallerKind
  readonly url: string
  readonly milliseconds: number
}

const callsAtOnce = 32

/** Calls a tool for some time. @returns The CPU time of this process for one call, in microseconds. */
answerMessages(async ({ kind, url, milliseconds }: CallerMessage) => {
  const call = await openCaller(kind, url)
  await callFor(milliseconds, call)
  const before = process.cpuUsage()
  const calls = await callFor(milliseconds, call)
  const { user, system } = process.cpuUsage(before)
  return { cpuMicros: (user + system) / calls }
})

let opened: (() => Promise<unknown>) | null = null

async function openCaller(kind: CallerKind, url: string): Promise<() => Promise<unknown>> {
  opened ??= kind === 'official' ? await openOfficial(url) : await openProxied(url)
  return opened
}

async function openOfficial(url: string): Promise<() => Promise<unknown>> {
  const client = new Client({ name: 'benchmark', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  return () => client.callTool({ ...callParams })
}

async function openProxied(url: string): Promise<() => Promise<unknown>> {
  const server = await createServer({ name: 'front', version: '1.0.0', sources: [proxy({ up: { url } })] })
  return () => server.callTool(`up_${callParams.name}`, callParams.arguments)
}

async function callFor(milliseconds: number, call: () => Promise<unknown>): Promise<number> {
  const end = performance.now() + milliseconds
  let calls = 0
  const callers = Array.from({ length: callsAtOnce }, async () => {
    for (; performance.now() < end; calls++) await call()
  })
  await Promise.all(callers)
  return calls
}
