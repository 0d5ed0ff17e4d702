/** What is fetched from an authorization server is small, and it answers soon: else it is in trouble, and so would we be. */
const timeoutMs = 5000
const maxBytes = 512 * 1024
const maxRedirects = 3

const redirects = new Set([301, 302, 303, 307, 308])

/** When to give up. Requests that somebody waits for one after another share one. */
export function fetchDeadline(): AbortSignal {
  return AbortSignal.timeout(timeoutMs)
}

/** Gets JSON. Redirects are followed within the same origin only. @throws Error when there is none to be had. */
export async function getJson(url: URL, signal: AbortSignal = fetchDeadline()): Promise<unknown> {
  let target = url
  for (let redirected = 0; redirected <= maxRedirects; redirected++) {
    // oxlint-disable-next-line no-await-in-loop
    const response = await request(target, { headers: { accept: 'application/json' }, redirect: 'manual', signal })
    if (!redirects.has(response.status)) return readJson(response)
    target = redirectOf(response, target)
  }
  throw new Error(`${url.origin} redirects more than ${maxRedirects} times`)
}

/** Posts a form for JSON. It carries secrets: redirects are not followed. @throws Error when there is no answer. */
export async function postForm(
  url: URL,
  form: URLSearchParams,
  headers: Readonly<Record<string, string>>,
): Promise<unknown> {
  const signal = fetchDeadline()
  const init = { method: 'POST', headers: { ...headers, accept: 'application/json' }, body: form }
  return readJson(await request(url, { ...init, redirect: 'manual', signal }))
}

/**
 * Asks once more where the connection was lost before there was an answer: one that was kept from the request before may
 * be closed just when it is used again, which is no outage. Nothing that is asked here changes anything.
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

/** What `fetch` itself says is only that it failed, and what it was caused by may have a piece of the answer. */
function notReached(error: unknown): unknown {
  const { name, message } = error as Error
  // All else says what it is: the time is over, or the answer too long.
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
  // `fetch` would refuse it with a message that has all of it.
  if (target.username !== '' || target.password !== '')
    throw new Error(`${from.origin} redirects to a URL with a password`)
  return target
}

async function readJson(response: Response): Promise<unknown> {
  if (response.status !== 200) {
    discard(response)
    throw new Error(`the status is ${response.status}`)
  }
  const text = await readText(response).catch((error: unknown) => {
    throw notReached(error)
  })
  try {
    return JSON.parse(text)
  } catch {
    // Not what the parser says: that repeats a piece of the answer.
    throw new Error('the answer is not JSON')
  }
}

/** Counted as it comes, after decompression: a length that was announced proves nothing. */
async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new Error(`the answer has more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  // Leaves out the mark that some editors put before a file.
  return new TextDecoder().decode(Buffer.concat(chunks))
}

/** Or its connection would stay open. */
function discard({ body }: Response): void {
  body?.cancel().catch(() => undefined)
}
