// Records the messages that the page exchanges with the server.
import { signal } from '@preact/signals'
import { parseForDisplay } from '../forms/exact-numbers.js'
import { type EraName, pageHeaders } from './settings.js'

export interface Message {
  readonly id?: string | number
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** One HTTP request. */
export interface Exchange {
  readonly method: string
  readonly requestHeaders: Readonly<Record<string, string>>
  status: number | null
  responseHeaders: Readonly<Record<string, string>>
}

/** One message, or one response without a message. */
export interface Frame {
  readonly seq: number
  readonly era: EraName
  readonly direction: 'out' | 'in'
  /** Milliseconds since the page was opened. */
  readonly at: number
  readonly exchange: Exchange
  readonly message: Message | null
  /** A body that is not JSON-RPC. */
  readonly note: string
}

const maxFrames = 1000

export const frames = signal<readonly Frame[]>([])

let lastSeq = 0

/** The number of the latest frame, to find those that follow it. */
export function latestFrame(): number {
  return lastSeq
}

/** The latest challenge of the server to a request without valid credentials. */
export function latestChallenge(era: EraName): string {
  const rejected = frames.peek().findLast((frame) => frame.era === era && frame.exchange.status === 401)
  return rejected?.exchange.responseHeaders['www-authenticate'] ?? ''
}

export function clearFrames(): void {
  frames.value = []
}

/** Fetches as the browser does, and records every message of the request and the response. */
export function recordingFetch(era: EraName, headers: () => Record<string, string>): typeof fetch {
  return async (input, init) => {
    const given = new Headers(init?.headers)
    for (const [name, value] of Object.entries(headers())) given.set(name, value)
    const exchange: Exchange = {
      method: init?.method ?? 'GET',
      requestHeaders: readHeaders(given),
      status: null,
      responseHeaders: {},
    }
    const record = (direction: 'out' | 'in', message: Message | null, note = ''): void =>
      add({ seq: ++lastSeq, era, direction, at: performance.now(), exchange, message, note })
    // Added after the headers were recorded: the server does not receive them.
    for (const [name, value] of Object.entries(pageHeaders())) given.set(name, value)
    if (typeof init?.body === 'string') recordBody(init.body, (message, note) => record('out', message, note))
    else record('out', null, exchange.method)
    // Without credentials: cookies of other programs on this machine are not for the server.
    const response = await fetch(input, { ...init, headers: given, credentials: 'omit' })
    if (response.headers.has('inspector-token')) {
      throw new Error('Open the printed address of the inspector: it ends with the token of this page.')
    }
    exchange.status = response.status
    exchange.responseHeaders = readHeaders(response.headers)
    return recorded(response, (message, note) => record('in', message, note))
  }
}

function add(frame: Frame): void {
  frames.value = [...frames.value.slice(-maxFrames + 1), frame]
}

type Sink = (message: Message | null, note: string) => void

function recordBody(body: string, sink: Sink): void {
  try {
    const parsed = parseForDisplay(body) as Message | readonly Message[]
    for (const message of Array.isArray(parsed) ? parsed : [parsed]) sink(message as Message, '')
  } catch {
    sink(null, body.slice(0, 2000))
  }
}

/** Records a body on its way to the client, so that a frame is there before the client acts on it. */
function recorded(response: Response, sink: Sink): Response {
  const { body, status, statusText, headers } = response
  if (body === null) {
    sink(null, `${status} ${statusText}`.trim())
    return response
  }
  const isEvents = (headers.get('content-type') ?? '').startsWith('text/event-stream')
  const decoder = new TextDecoder()
  let text = ''
  const recorder = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      text += decoder.decode(chunk, { stream: true })
      if (isEvents) text = recordEvents(text, sink)
      controller.enqueue(chunk)
    },
    flush() {
      if (isEvents) return
      if (text === '') sink(null, `${status} ${statusText}`.trim())
      else recordBody(text, sink)
    },
  })
  return new Response(body.pipeThrough(recorder), { status, statusText, headers })
}

/** Records the complete events, and returns the rest. */
function recordEvents(text: string, sink: Sink): string {
  const events = text.split(/\r?\n\r?\n/)
  const rest = events.pop() ?? ''
  for (const event of events) {
    const data = [...event.matchAll(/^data: ?(.*)$/gm)].map(([, line]) => line).join('\n')
    if (data !== '') recordBody(data, sink)
  }
  return rest
}

/** Hides what would let a reader of a screenshot in. */
function readHeaders(headers: Headers): Record<string, string> {
  return Object.fromEntries(
    [...headers].map(([name, value]) => [name, name === 'authorization' ? value.replace(/ .*/, ' …') : value]),
  )
}
