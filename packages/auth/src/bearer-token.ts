import { AuthenticationError, type RequestHeaders } from '@toolwright/core'

/** A token as it was presented. */
export interface PresentedToken {
  readonly token: string
  /** Whether the caller says that it can prove to be the token's owner. */
  readonly scheme: 'Bearer' | 'DPoP'
}

const credentials = /^(bearer|dpop) +([A-Za-z0-9\-._~+/]+=*)$/i
const token = /^[A-Za-z0-9\-._~+/]+=*$/
/** Such as `Basic …`: a name, a space and something behind it. Whatever else stands there was meant to be a token. */
const otherScheme = /^(?!(?:bearer|dpop) )[\w!#$%&'*+.^`|~-]+ +[^ ]/i

/** Longer ones are none: Node takes some 16 KiB of headers altogether. */
const maxTokenLength = 16_384

/** Whether it can come as one. */
export function isToken(text: string): boolean {
  return token.test(text) && text.length <= maxTokenLength - 'Bearer '.length
}

/**
 * The token of the `Authorization` header, and of no other place: not of the query, the body or a cookie (RFC 6750,
 * section 2). `null` when there is none, or credentials of another scheme.
 *
 * @throws AuthenticationError for a header that is no token.
 */
export function readToken({ authorization }: RequestHeaders): PresentedToken | null {
  if (authorization === undefined) return null
  const header = String(authorization)
  const match = header.length > maxTokenLength ? null : credentials.exec(header)
  if (match !== null) {
    return { token: match[2] as string, scheme: (match[1] as string).toLowerCase() === 'dpop' ? 'DPoP' : 'Bearer' }
  }
  if (otherScheme.test(header)) return null
  throw new AuthenticationError('invalid_request', 'Unauthorized: the Authorization header holds no token', {
    reason: 'malformed Authorization header',
  })
}
