import { AuthenticationError, type RequestHeaders } from '@toolwright/core'

export interface PresentedToken {
  readonly token: string
  /** `DPoP`: the caller claims to have the key that the token is bound to. */
  readonly scheme: 'Bearer' | 'DPoP'
}

const credentials = /^(bearer|dpop) +([A-Za-z0-9\-._~+/]+=*)$/i
const token = /^[A-Za-z0-9\-._~+/]+=*$/
/**
 * Credentials of another scheme, such as `Basic …`: a name, a space and a value. All other headers are rejected as
 * malformed tokens.
 */
const otherScheme = /^(?!(?:bearer|dpop) )[\w!#$%&'*+.^`|~-]+ +[^ ]/i

/** Maximum length of the header in characters. Node accepts about 16 KiB of headers in total. */
const maxTokenLength = 16_384

export function isToken(text: string): boolean {
  return token.test(text) && text.length <= maxTokenLength - 'Bearer '.length
}

/**
 * Reads the token of the `Authorization` header. Tokens in the query, the body or a cookie are ignored (RFC 6750, section
 * 2).
 *
 * @returns `null` without the header, or for credentials of another scheme.
 * @throws AuthenticationError for a malformed header.
 */
export function readToken({ authorization }: RequestHeaders): PresentedToken | null {
  if (authorization === undefined) return null
  const header = String(authorization)
  const match = header.length > maxTokenLength ? null : credentials.exec(header)
  if (match !== null) {
    return { token: match[2] as string, scheme: (match[1] as string).toLowerCase() === 'dpop' ? 'DPoP' : 'Bearer' }
  }
  if (otherScheme.test(header)) return null
  // A single character is no secret, and shows which tokens cannot be sent with Bearer.
  const bad = /^(?:bearer|dpop) +[\w\-.~+/]+([^\w\-.~+/=\s])/i.exec(header)?.[1]
  throw new AuthenticationError('invalid_request', 'Unauthorized: the Authorization header contains no token', {
    reason: `malformed Authorization header${bad === undefined ? '' : `: tokens cannot contain ${JSON.stringify(bad)}`}`,
  })
}
