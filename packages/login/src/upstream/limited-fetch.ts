const timeoutMs = 10_000
const maxBytes = 1024 * 1024

/** Sends a request to the provider: at most ten seconds, and a response of at most 1 MiB. Does not follow redirects. */
export async function limitedFetch(url: string, init: RequestInit = {}): Promise<Response> {
  const signal = AbortSignal.timeout(timeoutMs)
  const response = await fetch(url, { ...init, redirect: 'manual', signal })
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    length += part.byteLength
    if (length > maxBytes) throw new Error(`the response of ${new URL(url).origin} is larger than ${maxBytes} bytes`)
    parts.push(part)
  }
  const hasBody = ![101, 204, 205, 304].includes(response.status)
  return new Response(hasBody ? Buffer.concat(parts) : null, { status: response.status, headers: plain(response) })
}

/** The body is decoded already. */
function plain({ headers }: Response): Headers {
  const copy = new Headers(headers)
  copy.delete('content-encoding')
  copy.delete('content-length')
  return copy
}
