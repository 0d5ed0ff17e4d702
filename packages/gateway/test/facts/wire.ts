import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import type { McpServer } from '@toolwright/core'
import { serveStdio } from '@toolwright/server/stdio'
import type { FastifyInstance } from 'fastify'
import { WebSocket } from 'ws'
import type { Step } from './fact.js'

/** An answer, in the form that patterns match. */
export interface Answer {
  readonly status: number | null
  readonly type: string | null
  readonly headers: Readonly<Record<string, string>>
  /** Parsed JSON, or text. */
  readonly body: unknown
  readonly events: readonly Event[]
}

interface Event {
  readonly id: string | undefined
  readonly event: string | undefined
  readonly data: unknown
}

/** No answer. */
const nothing: Answer = { status: null, type: null, headers: {}, body: undefined, events: [] }

/** A server of facts: an application that listens, and the server for stdio. */
export interface Running {
  readonly app: FastifyInstance
  readonly url: string
}

export async function send({ app, url }: Running, step: Step): Promise<Answer> {
  if (step.to === 'stdio') return overStdio(app.mcp, textOf(step.send))
  if (step.frames !== undefined) return streamFrames(`${url.replace('http', 'ws')}/ws`, step.frames)
  if (step.to === '/ws') return overWebSocket(`${url.replace('http', 'ws')}/ws`, textOf(step.send))
  return overHttp(url, step)
}

async function overHttp(url: string, { to, verb = 'POST', headers = {}, send: sent }: Step): Promise<Answer> {
  const body = sent === undefined ? null : textOf(sent)
  const type: Record<string, string> = body === null ? {} : { 'content-type': 'application/json' }
  const gone = new AbortController()
  const response = await fetch(`${url}${to}`, {
    method: verb,
    body,
    headers: { ...type, ...headers },
    signal: gone.signal,
  })
  const contentType = response.headers.get('content-type')
  // The stream of a session does not end.
  const isOpen = verb === 'GET' && contentType?.startsWith('text/event-stream') === true
  const text = isOpen ? '' : await response.text()
  if (isOpen) gone.abort()
  return {
    status: response.status,
    type: contentType,
    headers: Object.fromEntries(response.headers),
    body: parse(text),
    events: contentType?.startsWith('text/event-stream') === true ? eventsIn(text) : [],
  }
}

/** Sends a ping after the message. If the answer to the ping arrives first, the message has no answer. */
const ping = { jsonrpc: '2.0', id: 'no answer', method: 'ping' }

function isPong(message: unknown): boolean {
  return (message as { readonly id?: unknown }).id === ping.id
}

async function overWebSocket(url: string, message: string): Promise<Answer> {
  const socket = new WebSocket(url, 'mcp')
  await once(socket, 'open')
  const pending = JSON.parse(message) as { readonly id?: unknown }
  const answers: unknown[] = []
  const answered = new Promise<void>((resolve) => {
    socket.on('message', (data) => {
      answers.push(JSON.parse((data as Buffer).toString()))
      if (pending.id === undefined ? isPong(answers.at(-1)) : !isNotification(answers.at(-1))) resolve()
    })
  })
  socket.send(message)
  if (pending.id === undefined) socket.send(JSON.stringify(ping))
  await answered
  socket.close()
  await once(socket, 'close')
  return { ...nothing, body: answers.find((one) => !isPong(one) && !isNotification(one)) }
}

/** Sends the frames of a stream, and collects those of the server until it closes the connection. */
async function streamFrames(url: string, frames: NonNullable<Step['frames']>): Promise<Answer> {
  const socket = new WebSocket(url)
  await once(socket, 'open')
  const messages: unknown[] = []
  let chunks = 0
  socket.on('message', (data, isBinary) => {
    if (isBinary) chunks++
    else messages.push(JSON.parse((data as Buffer).toString()))
  })
  const closed = once(socket, 'close')
  for (const frame of frames) socket.send('chunk' in frame ? encodeChunk(frame) : JSON.stringify(frame))
  await closed
  return { ...nothing, body: { messages, chunks } }
}

/** A binary frame: 16 bytes of the id, which is zero for ids that are no GUID, 8 of the index, and the bytes. */
function encodeChunk({ chunk, index }: { readonly chunk: string; readonly index: number }): Buffer {
  const header = Buffer.alloc(24)
  header.writeBigInt64LE(BigInt(index), 16)
  return Buffer.concat([header, Buffer.from(chunk)])
}

function isNotification(message: unknown): boolean {
  return (message as { readonly method?: unknown }).method !== undefined
}

async function overStdio(server: McpServer, message: string): Promise<Answer> {
  const input = new PassThrough()
  const output = new PassThrough()
  const chunks: Buffer[] = []
  output.on('data', (chunk: Buffer) => chunks.push(chunk))
  const serving = serveStdio(server, { input, output })
  input.end(`${message}\n`)
  await serving
  const lines = Buffer.concat(chunks).toString().trim().split('\n')
  return { ...nothing, body: parse(lines.at(-1) ?? '') }
}

function textOf(sent: unknown): string {
  return typeof sent === 'string' ? sent : JSON.stringify(sent)
}

function parse(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function eventsIn(text: string): readonly Event[] {
  const frames = text.split('\n\n').filter((frame) => frame !== '')
  return frames.map((frame) => {
    const lines = frame.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)])
    const { id, event, data } = Object.fromEntries(lines) as Record<string, string | undefined>
    return { id, event, data: parse(data ?? '') }
  })
}
