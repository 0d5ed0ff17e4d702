interface Cookie {
  readonly value: string
  readonly path: string
}

const maxSteps = 30

/** Acts as a browser without scripts: keeps cookies, follows redirects, and agrees on consent pages. */
export class FakeBrowser {
  /** Cookies by host, and by name and path. */
  readonly #cookies = new Map<string, Map<string, Cookie>>()

  /** Opens an authorization request, and returns the redirect to the client. */
  async logIn(authorization: URL): Promise<URL> {
    const target = new URL(authorization.searchParams.get('redirect_uri') ?? '')
    let url = authorization
    let init: RequestInit = {}
    for (let step = 0; step < maxSteps; step++) {
      if (isAt(url, target)) return url
      // oxlint-disable-next-line no-await-in-loop -- one page after the other
      const response = await this.#open(url, init)
      const location = response.headers.get('location')
      // oxlint-disable-next-line no-await-in-loop
      init = location === null ? agree(await response.text(), url, response.status) : {}
      if (location !== null) url = new URL(location, url)
    }
    throw new Error(`the login did not end after ${maxSteps} pages, the last of which is ${url.origin}${url.pathname}`)
  }

  async #open(url: URL, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers)
    headers.set('cookie', this.#cookiesFor(url))
    const response = await fetch(url, { ...init, headers, redirect: 'manual' })
    for (const cookie of response.headers.getSetCookie()) this.#keep(url, cookie)
    return response
  }

  #keep({ host }: URL, cookie: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
    const path = /;\s*path=([^;]+)/i.exec(cookie)?.[1] ?? '/'
    const jar = this.#cookies.get(host) ?? new Map<string, Cookie>()
    this.#cookies.set(host, jar.set(`${name} ${path}`, { value, path }))
  }

  #cookiesFor({ host, pathname }: URL): string {
    const all = [...(this.#cookies.get(host) ?? [])]
    const sent = all.filter(([, { path, value }]) => value !== '' && isBelow(pathname, path))
    return sent.map(([key, { value }]) => `${key.slice(0, key.indexOf(' '))}=${value}`).join('; ')
  }
}

/** Returns the request that submits the form of a page with its first button. */
function agree(page: string, url: URL, status: number): RequestInit {
  if (!page.includes('<form')) {
    const words = page.replace(/<style>.*?<\/style>/gs, ' ').replace(/<[^>]*>/g, ' ')
    throw new Error(
      `the login ended at a page with status ${status}: ${words.replace(/\s+/g, ' ').trim().slice(0, 500)}`,
    )
  }
  const body = new URLSearchParams()
  for (const [input] of page.matchAll(/<input[^>]*>/g)) append(body, input)
  append(body, /<button[^>]*>/.exec(page)?.[0] ?? '')
  return { method: 'POST', body, headers: { origin: url.origin } }
}

function append(form: URLSearchParams, element: string): void {
  const name = / name="([^"]*)"/.exec(element)?.[1]
  if (name !== undefined) form.append(name, / value="([^"]*)"/.exec(element)?.[1] ?? '')
}

function isBelow(pathname: string, path: string): boolean {
  return pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`)
}

function isAt({ protocol, host, pathname }: URL, target: URL): boolean {
  return protocol === target.protocol && host === target.host && pathname === target.pathname
}
