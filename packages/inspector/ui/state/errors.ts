/** Describes an error of a call or a connection: its code, if it has one, and its message. */
export function describeError(error: unknown, challenge = ''): string {
  if (!(error instanceof Error)) return String(error)
  const { code, data } = error as Error & { code?: unknown; data?: unknown }
  const status = (data as { status?: unknown } | undefined)?.status
  if (error instanceof TypeError && /fetch/i.test(error.message)) return 'The server does not answer. Is it running?'
  if (status === 401) return `The server requires ${describeChallenge(challenge)} (401). Enter it under Connection.`
  if (status === 403) return `The server rejected the request (403). ${error.message}`
  return typeof code === 'number' ? `${error.message} (${code})` : error.message
}

/** The header that the challenge of an API key names. */
export function wantedHeader(challenge: string): string | undefined {
  return /^ApiKey\b.*?\bheader="?([\w!#$%&'*+.^`|~-]{1,100})/i.exec(challenge)?.[1]
}

function describeChallenge(challenge: string): string {
  const header = wantedHeader(challenge)
  if (header !== undefined) return `the header ${header}`
  const [scheme] = /^[\w-]{1,40}/.exec(challenge) ?? []
  return scheme === undefined || /^bearer$/i.test(scheme) ? 'a bearer token' : `credentials of the scheme ${scheme}`
}
