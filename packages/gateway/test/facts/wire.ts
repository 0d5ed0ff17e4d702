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
  if (step.listens === true) return listen(url, step)
  if (step.to === '/ws') return overWebSocket(`${url.replace('http', 'ws')}/ws`, textOf(step.send))
  return overHttp(url, step)
}

async function overHttp(
  url: string,
  { to, verb = 'POST', headers = {}, send: sent, reads = 0 }: Step,
): Promise<Answer> {
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
  const isStream = contentType?.startsWith('text/event-stream') === true
  const text = verb === 'GET' && isStream ? await readEvents(response, reads) : await response.text()
  gone.abort()
  return {
    status: response.status,
    type: contentType,
    headers: Object.fromEntries(response.headers),
    body: parse(text),
    events: isStream ? eventsIn(text) : [],
  }
}

/** Reads the first events of a stream that does not end. */
async function readEvents(response: Response, count: number): Promise<string> {
  let text = ''
  const decoder = new TextDecoder()
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  while (eventsIn(text).length < count) {
    // oxlint-disable-next-line no-await-in-loop
    const { done, value } = await reader.read()
    if (done) break
    text += decoder.decode(value, { stream: true })
  }
  reader.releaseLock()
  return text
}

/** Sends a message while the stream of its session is open, and ends the session, with which the stream ends. */
async function listen(url: string, { listens: _unused, ...step }: Step): Promise<Answer> {
  const headers = { ...step.headers, accept: 'text/event-stream' }
  const stream = await fetch(`${url}${step.to}`, { headers })
  const answer = await overHttp(url, step)
  await overHttp(url, { ...step, verb: 'DELETE', send: undefined })
  return { ...answer, events: eventsIn(await stream.text()).slice(1) }
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
  const events = answers.filter(isNotification).map((data) => ({ id: undefined, event: undefined, data }))
  return { ...nothing, body: answers.find((one) => !isPong(one) && !isNotification(one)), events }
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
  // The last part is not complete yet. A comment, which has no id and no data, is no event.
  const frames = text
    .split('\n\n')
    .slice(0, -1)
    .filter((frame) => !frame.startsWith(':'))
  return frames.map((frame) => {
    const lines = frame.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)])
    const { id, event, data } = Object.fromEntries(lines) as Record<string, string | undefined>
    return { id, event, data: parse(data ?? '') }
  })
}
