/** Describes an error of a call or a connection: its code, if it has one, and its message. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code, data } = error as Error & { code?: unknown; data?: unknown }
  const status = (data as { status?: unknown } | undefined)?.status
  if (error instanceof TypeError && /fetch/i.test(error.message)) return 'The server does not answer. Is it running?'
  if (status === 401) return 'The server requires authentication (401). Enter a token under Connection.'
  if (status === 403) return `The server rejected the request (403). ${error.message}`
  return typeof code === 'number' ? `${error.message} (${code})` : error.message
}
