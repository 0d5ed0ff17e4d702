import type { IncomingMessage, ServerResponse } from 'node:http'
import { keyOf, randomId, type Secrets } from '../secrets.js'

/** Seconds for which a browser is recognized: longer than a login takes. */
export const browserSeconds = 24 * 60 * 60

/** Seconds for which a consent is remembered, and its browser with it. */
export const consentSeconds = 30 * 24 * 60 * 60

export class BrowserCookie {
  readonly #name: string
  readonly #attributes: string

  /** @param isSecure Whether the server uses https. Not all browsers store secure cookies of `http://localhost`. */
  constructor(
    isSecure: boolean,
    private readonly secrets: Secrets,
    keptSeconds: number,
  ) {
    // With this prefix, no other host of the domain can set the cookie.
    this.#name = isSecure ? '__Host-login' : 'login-browser'
    this.#attributes = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${keptSeconds}${isSecure ? '; Secure' : ''}`
  }

  /** Returns an id of the browser, which cannot be turned back into the cookie; `null` for a browser without a cookie. */
  find(request: IncomingMessage): string | null {
    const value = this.#valueIn(request)
    return value === null ? null : keyOf('browser', value)
  }

  identify(request: IncomingMessage, response: ServerResponse): string {
    const known = this.find(request)
    if (known !== null) return known
    const value = randomId()
    response.appendHeader('set-cookie', `${this.#name}=${value}; ${this.#attributes}`)
    return keyOf('browser', value)
  }

  /** Creates the token of a form. It is valid for one login in one browser, however often the page is rendered. */
  formToken(uid: string, browser: string): string {
    return this.secrets.sign('forms', `${uid} ${browser}`)
  }

  isFormToken(token: string, uid: string, browser: string): boolean {
    return this.secrets.verify('forms', `${uid} ${browser}`, token)
  }

  #valueIn({ headers: { cookie = '' } }: IncomingMessage): string | null {
    for (const part of cookie.split(';')) {
      const [name, value = ''] = part.trim().split('=')
      if (name === this.#name && /^[\w-]{43}$/.test(value)) return value
    }
    return null
  }
}

/**
 * Whether the user, or this server, opened the page in a browser that says so. Otherwise, another site could start a login that the
 * user did not ask for.
 */
export function isOpenedByUser({ headers }: IncomingMessage): boolean {
  const site = String(headers['sec-fetch-site'])
  const isPrefetch = headers['sec-purpose'] !== undefined || headers['purpose'] !== undefined
  return ['none', 'same-origin'].includes(site) && !isPrefetch
}

/** Whether another site sent the request. Browsers that send neither header are accepted: the form has a token as well. */
export function isCrossSite({ headers }: IncomingMessage, issuer: string): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site !== 'same-origin' && site !== 'none'
  const { origin } = headers
  return origin !== undefined && origin !== 'null' && origin !== issuer
}
