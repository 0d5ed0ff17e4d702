import type { FetchLike } from '@modelcontextprotocol/client'
import type { Socket } from '@toolwright/streams/client'
import { openSocket } from '#platform'
import { CredentialsError } from './errors.js'
import { shownUrl } from './target.js'
import { within } from './timing.js'

/**
 * Returns a bearer token, or HTTP headers such as an API key; `null` for no credentials. Called before each request, and
 * with `rejected` after the server has rejected the credentials with 401. If the function returns other credentials after a
 * rejection, the request is repeated once.
 */
export type Credentials = (
  reason: 'request' | 'rejected',
) => string | Readonly<Record<string, string>> | null | Promise<string | Readonly<Record<string, string>> | null>

export type HeaderSource = (reason: 'request' | 'rejected') => Promise<Record<string, string>>

export function createHeaderSource(
  fixed: Readonly<Record<string, string>> = {},
  credentials: Credentials | undefined,
): HeaderSource {
  const always = inLowerCase(fixed)
  const read: HeaderSource = async (reason) => {
    const given = (await credentials?.(reason)) ?? {}
    return { ...always, ...(typeof given === 'string' ? { authorization: `Bearer ${given}` } : inLowerCase(given)) }
  }
  let renewing: Promise<Record<string, string>> | null = null
  return (reason) => {
    if (reason === 'request') return read(reason)
    // Requests that are rejected at once share the renewed credentials.
    renewing ??= read(reason).finally(() => {
      renewing = null
    })
    return renewing
  }
}

/** Two headers whose names differ in case are the same header: without this, the server would get both values. */
function inLowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

/**
 * Adds the headers to requests for the server. If the source returns other headers after a rejection, the request is
 * repeated once. Requests for other origins, such as an authorization server, get no headers.
 */
export function fetchWithHeaders(send: FetchLike, { origin }: URL, source: HeaderSource): FetchLike {
  return async (url, init = {}) => {
    if (new URL(url).origin !== origin) return send(url, init)
    const headers = await source('request')
    const response = await send(url, merge(init, headers))
    if (response.status !== 401) return response
    const others = await source('rejected')
    if (isSame(others, headers)) return response
    await response.body?.cancel()
    return send(url, merge(init, others))
  }
}

export interface SocketLimits {
  readonly timeoutMs: number
  readonly maxBytes: number
  readonly opening: AbortController
}

/**
 * Opens a WebSocket with the headers. If the source returns other headers after a rejection, tries once more.
 *
 * @throws RequestTimeoutError, or the reason of the abort.
 */
export async function openSocketWithHeaders(url: URL, source: HeaderSource, limits: SocketLimits): Promise<Socket> {
  const { timeoutMs, opening } = limits
  try {
    const what = `The connection to ${shownUrl(url)}`
    return await within(tryToOpen(url, source, limits), { what, timeoutMs, signal: opening.signal })
  } catch (error) {
    opening.abort(error)
    throw error
  }
}

async function tryToOpen(url: URL, source: HeaderSource, { maxBytes, opening }: SocketLimits): Promise<Socket> {
  const limits = { maxBytes, signal: opening.signal }
  const headers = await source('request')
  try {
    return await openSocket(url, headers, limits)
  } catch (error) {
    if (!(error instanceof CredentialsError)) throw error
    const others = await source('rejected')
    if (isSame(others, headers)) throw error
    return openSocket(url, others, limits)
  }
}

function isSame(some: Readonly<Record<string, string>>, others: Readonly<Record<string, string>>): boolean {
  return JSON.stringify(some) === JSON.stringify(others)
}

/** Adds headers. Headers of the transport take precedence, so that no header of the protocol is replaced. */
function merge(init: RequestInit, added: Readonly<Record<string, string>>): RequestInit {
  const headers = new Headers(added)
  for (const [name, value] of new Headers(init.headers)) headers.set(name, value)
  return { ...init, headers }
}
