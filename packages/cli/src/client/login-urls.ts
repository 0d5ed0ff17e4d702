export function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.')
}

/**
 * Whether to request a URL that a server named for its login. A server elsewhere must not choose requests to programs on
 * this machine, and credentials need TLS.
 */
export function mayRequest(url: URL, server: URL): boolean {
  if (url.origin === server.origin) return true
  return isLoopback(url) ? isLoopback(server) : url.protocol === 'https:'
}

/**
 * Creates the `fetch` of a connection. Only requests to the server receive the headers of the user. Requests to other
 * origins are the login: they follow no redirects.
 *
 * @param onChallenge Receives the challenge of each response that requires other credentials.
 */
export function fetchForLogin(
  server: URL,
  headers: Readonly<Record<string, string>>,
  onChallenge: (challenge: string) => void,
): typeof fetch {
  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input)
    if (url.origin === server.origin) {
      const all = new Headers(headers)
      for (const [name, value] of new Headers(init.headers)) all.set(name, value)
      const response = await fetch(url, { ...init, headers: all })
      if (response.status === 401) onChallenge(response.headers.get('www-authenticate') ?? '')
      return response
    }
    if (!mayRequest(url, server)) throw new TypeError(describeRefused(url))
    return fetch(url, { ...init, redirect: 'manual' })
  }
}

export function describeRefused({ href }: URL): string {
  return `the server names ${href} for its login, which is neither HTTPS nor on the machine of the server`
}
