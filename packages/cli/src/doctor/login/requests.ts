import { describeRefused, mayRequest } from '../../client/login-urls.js'
import { isSchema, type Schema } from '../../client/schema-types.js'
import { maxRequestMs } from '../authorization.js'

const maxBytes = 256 * 1024
const maxWalkMs = 60_000
const maxShown = 200

/** A response, at most 256 KiB of it. */
export interface Answer {
  readonly url: URL
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body, if it is a JSON object. */
  readonly json: Schema | null
}

/** A request without a response. The message says why. */
export class NoAnswer extends Error {}

/** Sends the requests of a walk: each request at most once, at most 10 seconds each, and a minute together. */
export class Requests {
  readonly #sent = new Map<string, Promise<Answer>>()
  readonly #end = AbortSignal.timeout(maxWalkMs)

  constructor(readonly server: URL) {}

  /** @throws NoAnswer */
  send(url: URL, init: RequestInit = {}): Promise<Answer> {
    const key = JSON.stringify([url.href, init])
    const sent = this.#sent.get(key) ?? this.#send(url, init)
    this.#sent.set(key, sent)
    return sent
  }

  async #send(url: URL, init: RequestInit): Promise<Answer> {
    if (!mayRequest(url, this.server)) throw new NoAnswer(describeRefused(url))
    try {
      const signal = AbortSignal.any([AbortSignal.timeout(maxRequestMs), this.#end])
      // A redirect could lead to any program on this machine.
      const response = await fetch(url, { ...init, redirect: 'manual', signal })
      const text = await readText(response)
      const { status, headers } = response
      return { url, status, headers, text, json: readObject(text) }
    } catch (error) {
      throw new NoAnswer(`no answer of ${shown(url.href)}: ${reasonOf(error)}`)
    }
  }
}

async function readText({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of (body ?? []) as AsyncIterable<Uint8Array>) {
    length += part.byteLength
    if (length > maxBytes) throw new Error(`it is larger than ${maxBytes / 1024} KiB`)
    parts.push(part)
  }
  return Buffer.concat(parts).toString()
}

function readObject(text: string): Schema | null {
  try {
    const value: unknown = JSON.parse(text)
    return isSchema(value) ? value : null
  } catch {
    return null
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return 'it took too long'
  const { cause } = error
  return cause instanceof Error && cause.message !== '' ? cause.message : error.message
}

/** Shows a value of a server, cut. The output of the command removes control characters. */
export function shown(value: unknown): string {
  // A nested value is not shown: writing it could overflow the stack.
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object'
  const text = value === undefined ? 'missing' : typeof value === 'string' ? value : JSON.stringify(value)
  const line = text
    .slice(0, 10 * maxShown)
    .replaceAll(/\s+/g, ' ')
    .trim()
  return line.length > maxShown ? `${line.slice(0, maxShown)}…` : line
}

export function describeAnswer({ status, headers, text, json }: Answer): string {
  const location = headers.get('location')
  if (status >= 300 && status < 400 && location !== null) return `is a redirect (${status}) to ${shown(location)}`
  if (status === 401) return 'requires a login itself (401)'
  if (status !== 200) return `has status ${status}`
  if (json !== null) return 'is JSON'
  return /^\s*</.test(text) ? 'is a web page instead of JSON' : 'is not a JSON object'
}
