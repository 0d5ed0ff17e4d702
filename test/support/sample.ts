// Samples as their users run them: the compiled program, in a separate process.
import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  Client,
  type ClientOptions,
  type JSONRPCMessage,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client'
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OlderHttpTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { type EraName, type Lane, lanes } from '@toolwright/testing'
import { watchTransport } from './frames/watch-transport.js'
import { Output } from './output.js'

type Environment = Readonly<Record<string, string>>

const samples = join(__dirname, '..', '..', 'samples')

/** Variables for a free port, and for no files in the folder of the sample. */
const testEnvironment: Environment = { PORT: '0', DATABASE: ':memory:' }

/** The lanes that reach a program: all except in memory. */
export const programLanes = lanes.filter(({ lane }) => lane !== 'in-memory')

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** A started sample. */
export class SampleProcess {
  readonly output: Output
  readonly ended: Promise<Ended>

  constructor(readonly child: ChildProcessWithoutNullStreams) {
    this.output = new Output([child.stdout, child.stderr])
    this.ended = once(child, 'exit').then(([code, signal]) => ({ code, signal }))
  }

  stop(): Promise<Ended> {
    this.child.kill('SIGTERM')
    return this.ended
  }
}

export function spawnSample(sample: string, args: readonly string[] = [], env: Environment = {}): SampleProcess {
  return new SampleProcess(
    spawn(nodeFor(sample), [programOf(sample), ...args], { env: { ...process.env, ...testEnvironment, ...env } }),
  )
}

/** A sample that serves over HTTP on a free port, and its URL. */
export async function startSample(sample: string, env?: Environment): Promise<SampleProcess & { url: URL }> {
  const started = spawnSample(sample, [], env)
  // Matches to the end of the curl command, so that the output is complete.
  const [, url = ''] = await started.output.match(/serving MCP at (\S+)\n[^]*\n {2}curl .*\\\n.*\n/)
  return Object.assign(started, { url: new URL(url) })
}

/** A sample with an official client that is connected to it. */
export interface ConnectedSample {
  readonly client: Client
  readonly output: Output
  /**
   * Every message that the program sent. The client's own callbacks miss messages that arrive together with a response.
   */
  readonly received: readonly JSONRPCMessage[]
  /** Ends the client and the program: on stdio through the client, which has started the program. */
  readonly close: () => Promise<Ended | null>
}

export function connectSample(
  sample: string,
  { lane, era }: Lane,
  env: Environment = {},
  options: ClientOptions = {},
): Promise<ConnectedSample> {
  return lane === 'stdio' ? connectOverStdio(sample, era, env, options) : connectOverHttp(sample, era, env, options)
}

async function connectOverHttp(
  sample: string,
  era: EraName,
  env: Environment,
  options: ClientOptions,
): Promise<ConnectedSample> {
  const running = await startSample(sample, env)
  const { client, received } = await connectClient(new StreamableHTTPClientTransport(running.url), era, options)
  const close = async (): Promise<Ended> => {
    const ended = await running.stop()
    await client.close()
    return ended
  }
  return { client, output: running.output, received, close }
}

async function connectOverStdio(
  sample: string,
  era: EraName,
  env: Environment,
  options: ClientOptions,
): Promise<ConnectedSample> {
  const transport = new StdioClientTransport({
    command: nodeFor(sample),
    args: [programOf(sample), '--stdio'],
    env: { ...getDefaultEnvironment(), NODE_OPTIONS: process.env['NODE_OPTIONS'] ?? '', ...testEnvironment, ...env },
    stderr: 'pipe',
  })
  const output = new Output(transport.stderr === null ? [] : [transport.stderr])
  const { client, received } = await connectClient(transport, era, options)
  const close = async (): Promise<null> => {
    await client.close()
    return null
  }
  return { client, output, received, close }
}

/** A sample over HTTP with the official client of version 1, which supports no modern revision. */
export async function connectOlderClient(
  sample: string,
): Promise<{ client: OlderClient; close: () => Promise<Ended> }> {
  const running = await startSample(sample)
  const client = new OlderClient({ name: 'sample-test', version: '1.0.0' })
  await watchTransport(new OlderHttpTransport(running.url)).connect(client)
  const close = async (): Promise<Ended> => {
    await client.close()
    return running.stop()
  }
  return { client, close }
}

/** The parameters of the progress notifications among some messages. */
export function progressIn(messages: readonly JSONRPCMessage[]): readonly unknown[] {
  return messages
    .filter((message) => 'method' in message && message.method === 'notifications/progress')
    .map((message) => ('params' in message ? message.params : undefined))
}

/** The result of a tool, without the members that every result of an era has. */
export async function call(client: Client, name: string, args: Record<string, unknown> = {}): Promise<object> {
  const { content, structuredContent, isError } = await client.callTool({ name, arguments: args })
  return { content, ...(structuredContent === undefined ? {} : { structuredContent }), ...(isError ? { isError } : {}) }
}

function programOf(sample: string): string {
  return join(samples, sample, 'dist', 'main.js')
}

/** Path of this version of Node, or of a newer one if the `engines` of the sample require it. */
export function nodeFor(sample: string): string {
  const { engines } = JSON.parse(readFileSync(join(samples, sample, 'package.json'), 'utf8')) as Manifest
  const [wantedMajor = 0, wantedMinor = 0] = engines.node.match(/\d+/g)?.map(Number) ?? []
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  return major > wantedMajor || (major === wantedMajor && minor >= wantedMinor) ? process.execPath : findNewerNode()
}

interface Manifest {
  readonly engines: { readonly node: string }
}

let newerNode: string | undefined

/** Asks another process, because Jest cannot load ES modules with the suffix `.mjs`. */
function findNewerNode(): string {
  const program = "import('./newer-node.mjs').then(({ findNewerNodes }) => console.log(findNewerNodes()[0]))"
  const options = { cwd: join(__dirname, '..', 'newer-node'), encoding: 'utf8' } as const
  newerNode ??= execFileSync(process.execPath, ['-e', program], options).trim()
  return newerNode
}

async function connectClient(
  transport: Transport,
  era: EraName,
  options: ClientOptions,
): Promise<Pick<ConnectedSample, 'client' | 'received'>> {
  const mode = era === 'modern' ? { pin: '2026-07-28' } : 'legacy'
  const client = new Client({ name: 'sample-test', version: '1.0.0' }, { versionNegotiation: { mode }, ...options })
  const received: JSONRPCMessage[] = []
  await watchTransport(transport, (message) => received.push(message)).connect(client)
  // Drops the messages of the handshake.
  received.length = 0
  return { client, received }
}
