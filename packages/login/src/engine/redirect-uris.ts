const forbiddenSchemes = new Set(['javascript:', 'data:', 'file:', 'vbscript:', 'blob:', 'about:', 'view-source:'])
const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]'])

const maxLength = 2000

/** Whether a client may register the URI. The same rules apply at registration and at `/authorize`. */
export type RedirectRule = (uri: string) => string | null

/**
 * Creates the rule for redirect URIs, which returns what is wrong with a URI. Private schemes such as `cursor:` are accepted; `http`
 * only for this machine.
 *
 * @param patterns Accepted URIs, with `*` for any characters except `/`, `?` and `#`; empty for all.
 */
export function createRedirectRule(patterns: readonly string[]): RedirectRule {
  const forms = patterns.map(formOf)
  return (uri) => {
    const fault = faultOf(uri)
    if (fault !== null || forms.length === 0) return fault
    const text = withoutLoopbackPort(uri)
    return forms.some((form) => form.test(text)) ? null : 'is not accepted by this server'
  }
}

function faultOf(uri: string): string | null {
  if (uri.length > maxLength) return `is longer than ${maxLength} characters`
  // Browsers strip or replace these characters, so another URI would be called than was checked.
  if (/[\s\\\p{Cc}]/u.test(uri)) return 'has spaces, backslashes or control characters'
  if (!URL.canParse(uri)) return 'is not an absolute URI'
  const { protocol, hostname, username, password } = new URL(uri)
  if (forbiddenSchemes.has(protocol)) return `has the scheme ${protocol}`
  if (username !== '' || password !== '') return 'has a user name or password'
  if (uri.includes('#')) return 'has a fragment'
  if (/(?:\/|%2f)(?:\.|%2e){1,2}(?:[/?]|%2f|$)/i.test(uri.replace(/^[a-z][\w+.-]*:(?:\/\/)?/i, ''))) {
    return 'has dot segments in its path'
  }
  if (protocol === 'http:' && !loopbackHosts.has(hostname)) return 'has to use https, except on this machine'
  if (protocol === 'https:' && hostname === '') return 'has no host'
  return null
}

/** Native clients listen on any free port (RFC 8252, section 7.3). */
export function withoutLoopbackPort(uri: string): string {
  return uri.replace(/^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])):\d+(?=[/?]|$)/i, '$1')
}

/** Whether two URIs are equal, except for the port of this machine. `localhost` and `127.0.0.1` are not equal. */
export function isSameRedirect(one: string, other: string): boolean {
  return one === other || withoutLoopbackPort(one) === withoutLoopbackPort(other)
}

function formOf(pattern: string): RegExp {
  const parts = withoutLoopbackPort(pattern).split('*')
  return new RegExp(`^${parts.map((part) => part.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&')).join('[^/?#@:]*')}$`)
}
