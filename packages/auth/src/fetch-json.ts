/**
 * Limits that protect this server from a slow or faulty authorization server, whose responses are usually small and
 * fast.
 */
const timeoutMs = 5000
const maxBytes = 512 * 1024
const maxRedirects = 3

const maxRetryAfterMs = 60_000

export class FetchError extends Error {
  /**
   * @param status Status of the response; `undefined` if several requests failed.
   * @param retryAfterMs Milliseconds for which the issuer wants no further request; `0` if it demands no wait.
   */
  constructor(
    message: string,
    readonly status?: number,
    readonly retryAfterMs = 0,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}

const redirects = new Set([301, 302, 303, 307, 308])

/** Types of key sets. Kubernetes serves its keys only to clients that accept the second one. */
export const keySetTypes = 'application/json, application/jwk-set+json'

interface GetOptions {
  readonly accept?: string
  readonly maxMs?: number
}

/** Fetches JSON. Follows redirects within the same origin only. @throws Error if the request fails. */
export async function getJson(
  url: URL,
  { accept = 'application/json', maxMs = timeoutMs }: GetOptions = {},
): Promise<unknown> {
  const signal = AbortSignal.timeout(maxMs)
  let target = url
  for (let redirected = 0; redirected <= maxRedirects; redirected++) {
    // oxlint-disable-next-line no-await-in-loop
    const response = await request(target, { headers: { accept }, redirect: 'manual', signal })
    if (!redirects.has(response.status)) return readJson(response)
    target = redirectOf(response, target)
  }
  throw new Error(`${url.origin} redirects more than ${maxRedirects} times`)
}

/**
 * Posts a form, and returns JSON. Does not follow redirects, because the form contains secrets. @throws Error if the request
 * fails.
 */
export async function postForm(
  url: URL,
  form: URLSearchParams,
  headers: Readonly<Record<string, string>>,
): Promise<unknown> {
  const signal = AbortSignal.timeout(timeoutMs)
  const init = { method: 'POST', headers: { ...headers, accept: 'application/json' }, body: form }
  return readJson(await request(url, { ...init, redirect: 'manual', signal }))
}

/**
 * Sends a request. Retries once if the connection was lost before a response: the server may close a kept-alive
 * connection just when it is reused. The retry is safe, because the requests have no side effects.
 */
async function request(url: URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init)
  } catch (error) {
    if (!lostConnection.has(codeOf(error) ?? '')) throw notReached(error)
  }
  return fetch(url, init).catch((error: unknown) => {
    throw notReached(error)
  })
}

const lostConnection = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])

/**
 * Replaces an error of `fetch`, because its message only says that the request failed, and its cause may contain a part
 * of the response.
 */
function notReached(error: unknown): unknown {
  const { name, message } = error as Error
  // Other errors, such as a timeout, have a clear message, and are not replaced.
  return name === 'TypeError' ? new Error(`it cannot be reached: ${codeOf(error) ?? message}`) : error
}

function codeOf(error: unknown): string | undefined {
  const { code } = ((error as Error).cause ?? {}) as { readonly code?: unknown }
  return typeof code === 'string' ? code : undefined
}

function redirectOf(response: Response, from: URL): URL {
  discard(response)
  const location = response.headers.get('location') ?? ''
  const target = URL.canParse(location, from.href) ? new URL(location, from) : null
  if (target?.origin !== from.origin) throw new Error(`${from.origin} redirects to another origin`)
  // The redirect is rejected here, because the error of `fetch` would contain the password.
  if (target.username !== '' || target.password !== '')
    throw new Error(`${from.origin} redirects to a URL with a password`)
  return target
}

async function readJson(response: Response): Promise<unknown> {
  if (response.status !== 200) {
    discard(response)
    throw new FetchError(`the status is ${response.status}`, response.status, readRetryAfter(response))
  }
  const text = await readText(response).catch((error: unknown) => {
    throw notReached(error)
  })
  try {
    return JSON.parse(text)
  } catch {
    // The parser's message is not used, because it would repeat a part of the response.
    const isJwt = response.headers.get('content-type')?.includes('jwt') === true
    throw new Error(isJwt ? 'the response is a JWT (RFC 9701), but only JSON is supported' : 'the response is not JSON')
  }
}

/** Reads the header `Retry-After`: seconds, or a date (RFC 9110, section 10.2.3). */
function readRetryAfter({ headers }: Response): number {
  const value = headers.get('retry-after') ?? ''
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(0, ms), maxRetryAfterMs)
}

/** Counts the bytes as they arrive, after decompression, because the announced length proves nothing. */
async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new Error(`the response has more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  // `TextDecoder` removes a byte order mark.
  return new TextDecoder().decode(Buffer.concat(chunks))
}

/** Cancels a body, because its connection would stay open otherwise. */
function discard({ body }: Response): void {
  body?.cancel().catch(() => undefined)
}
