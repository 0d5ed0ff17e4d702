import { setTimeout as delay } from 'node:timers/promises'
import { Agent, fetch, type Response } from 'undici'
import { AddressError, connectPublicly } from './addresses.js'
import type { ApiRequest } from './request.js'

/** Headers and parameters of the query that identify the caller to the API. */
export interface Credentials {
  readonly headers?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
}

export interface ApiAnswer {
  readonly status: number
  readonly statusText: string
  readonly headers: Response['headers']
  readonly bytes: Buffer
  readonly isCut: boolean
}

export type SendFailure = 'address' | 'timeout' | 'connection' | 'redirect' | 'request'

/** A request without an answer. The message is for the log: it can contain names of hosts. */
export class SendError extends Error {
  override readonly name = 'SendError'

  constructor(
    readonly failure: SendFailure,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}

export interface SenderLimits {
  readonly timeoutMs: number
  readonly maxAnswerBytes: number
  readonly maxRetries: number
  readonly maxRedirects: number
}

const repeatable = new Set(['GET', 'PUT', 'DELETE'])
const redirects = new Set([301, 302, 303, 307, 308])
const maxConnections = 128
const userAgent = 'toolwright'

/** Sends requests to public addresses only, within limits of time, bytes and attempts. */
export class Sender {
  readonly #agent: Agent

  /** @param allowed Hosts that can have private addresses. */
  constructor(
    allowed: ReadonlySet<string>,
    readonly limits: SenderLimits,
  ) {
    const { timeoutMs } = limits
    const connect = connectPublicly(allowed, Math.min(timeoutMs, 10_000))
    this.#agent = new Agent({ connect, connections: maxConnections, headersTimeout: timeoutMs, bodyTimeout: timeoutMs })
  }

  /**
   * @param credentials Sent only to the origin of the request, and not to the target of a redirect to another origin.
   * @throws SendError
   */
  async send(request: ApiRequest, credentials: Credentials, signal: AbortSignal): Promise<ApiAnswer> {
    const { timeoutMs, maxRetries } = this.limits
    const deadline = performance.now() + timeoutMs
    const controller = new AbortController()
    const abort = (): void => controller.abort(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    if (signal.aborted) abort()
    const timer = setTimeout(
      () => controller.abort(new SendError('timeout', `no answer within ${timeoutMs} ms`)),
      timeoutMs,
    )
    try {
      for (let attempt = 0; ; attempt++) {
        const canRepeat = attempt < maxRetries && repeatable.has(request.method)
        const outcome = await this.#attempt(request, credentials, controller.signal).catch((error: unknown) =>
          failureOf(error, controller.signal),
        )
        const waitMs = canRepeat ? waitBefore(outcome, attempt) : null
        if (waitMs !== null && performance.now() + waitMs < deadline) {
          await delay(waitMs, undefined, { signal: controller.signal }).catch((error: unknown) => {
            throw failureOf(error, controller.signal)
          })
          continue
        }
        if (outcome instanceof SendError) throw outcome
        return outcome
      }
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy()
  }

  async #attempt(request: ApiRequest, credentials: Credentials, signal: AbortSignal): Promise<ApiAnswer> {
    let { method, url, body } = request
    let headers: Record<string, string> = {
      'user-agent': userAgent,
      accept: 'application/json, */*;q=0.8',
      ...request.headers,
    }
    for (let hops = 0; ; hops++) {
      const isOwn = url.origin === request.url.origin
      const sent = isOwn ? withQuery(url, credentials.query) : url
      const response = await fetch(sent, {
        method,
        headers: isOwn ? { ...headers, ...lowerCased(credentials.headers) } : headers,
        body,
        redirect: 'manual',
        signal,
        dispatcher: this.#agent,
      })
      const location = response.headers.get('location')
      if (!redirects.has(response.status) || location === null) return readAnswer(response, this.limits.maxAnswerBytes)
      await response.body?.cancel()
      if (hops >= this.limits.maxRedirects) throw new SendError('redirect', 'too many redirects')
      const target = targetOf(location, url)
      if (becomesGet(response.status, method)) [method, body] = ['GET', null]
      if (target.origin !== request.url.origin) {
        if (method !== 'GET') throw new SendError('redirect', `a ${method} was redirected to '${target.origin}'`)
        // Headers of the caller, such as keys, belong to the API and not to other origins.
        headers = { 'user-agent': userAgent, accept: headers['accept'] as string }
      }
      if (body === null) delete headers['content-type']
      url = target
    }
  }
}

/** Whether the next request is a GET. Spec: Fetch, "HTTP-redirect fetch". */
function becomesGet(status: number, method: string): boolean {
  return status === 303 || ((status === 301 || status === 302) && method === 'POST')
}

function targetOf(location: string, url: URL): URL {
  const target = URL.canParse(location, url.href) ? new URL(location, url) : null
  if (target === null || (target.protocol !== 'https:' && target.protocol !== 'http:')) {
    throw new SendError('redirect', 'a redirect names no http: or https: URL')
  }
  if (url.protocol === 'https:' && target.protocol === 'http:') {
    throw new SendError('redirect', `a redirect leaves https: for '${target.origin}'`)
  }
  target.username = ''
  target.password = ''
  return target
}

function withQuery(url: URL, query: Credentials['query'] = {}): URL {
  const entries = Object.entries(query)
  if (entries.length === 0) return url
  // `searchParams` would write the whole query anew, in another encoding.
  const added = entries.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&')
  const sent = new URL(url)
  sent.search = url.search === '' ? added : `${url.search}&${added}`
  return sent
}

function lowerCased(headers: Credentials['headers'] = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

async function readAnswer(response: Response, maxBytes: number): Promise<ApiAnswer> {
  const chunks: Uint8Array[] = []
  let length = 0
  let isCut = false
  if (response.body !== null) {
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
      length += chunk.byteLength
      isCut = length > maxBytes
      // Leaving the loop cancels the body.
      if (isCut) break
      chunks.push(chunk)
    }
  }
  const { status, statusText, headers } = response
  return { status, statusText, headers, bytes: Buffer.concat(chunks), isCut }
}

function failureOf(error: unknown, signal: AbortSignal): SendError {
  if (error instanceof SendError) return error
  if (signal.aborted) {
    return signal.reason instanceof SendError
      ? signal.reason
      : new SendError('timeout', 'the call was cancelled', { cause: signal.reason })
  }
  // Not `instanceof Error`: errors of Node belong to another realm in Jest.
  const { cause = error as Error } = error as { readonly cause?: Error }
  if (cause instanceof AddressError) return new SendError('address', cause.message)
  const { code } = cause as { readonly code?: unknown }
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT' || code === 'UND_ERR_CONNECT_TIMEOUT') {
    return new SendError('timeout', cause.message)
  }
  return typeof code === 'string'
    ? new SendError('connection', `${code}: ${cause.message}`)
    : new SendError('request', cause.message)
}

/** Returns the milliseconds before the next attempt; `null`: the outcome is final. */
function waitBefore(outcome: ApiAnswer | SendError, attempt: number): number | null {
  const backoff = 100 * 2 ** attempt * (1 + Math.random())
  if (outcome instanceof SendError) return outcome.failure === 'connection' ? backoff : null
  if (outcome.status !== 503) return null
  const seconds = retryAfter(outcome.headers.get('retry-after'))
  return seconds === null ? null : seconds * 1000
}

export function retryAfter(header: string | null): number | null {
  if (header === null) return null
  if (/^\d{1,9}$/.test(header.trim())) return Number(header)
  const date = Date.parse(header)
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - Date.now()) / 1000))
}
