/** Acts as a user's browser: keeps cookies, follows redirects, and submits forms. */
export class FakeBrowser {
  readonly cookies = new Map<string, Map<string, { readonly value: string; readonly path: string }>>()
  /** URLs that were visited. */
  readonly visited: URL[] = []
  decision = 'continue'

  /** Opens a URL, without following redirects. */
  open(url: URL, init: RequestInit = {}): Promise<Response> {
    return this.openVia(url, url, init)
  }

  /** Opens a URL at one node of its host. */
  async openVia(url: URL, node: URL, init: RequestInit = {}): Promise<Response> {
    this.visited.push(url)
    const headers = new Headers(init.headers)
    headers.set('cookie', this.#cookiesFor(url))
    const response = await fetch(node, { ...init, headers, redirect: 'manual' })
    for (const cookie of response.headers.getSetCookie()) this.#store(url, cookie)
    return response
  }

  /** Follows redirects until a page is shown, or until a URL of the client is reached. */
  async follow(start: URL, target: string, init: RequestInit = {}): Promise<{ url: URL; response: Response | null }> {
    let url = start
    let next = init
    for (let step = 0; step < 30; step++) {
      if (isAt(url, target)) return { url, response: null }
      // oxlint-disable-next-line no-await-in-loop
      const response = await this.open(url, next)
      next = {}
      const location = response.headers.get('location')
      if (location === null) return { url, response }
      url = new URL(location, url)
    }
    throw new Error('too many redirects')
  }

  /** Logs in: opens the URL, agrees or cancels, and returns the URL of the client that is reached in the end. */
  async logIn(authorization: URL): Promise<URL> {
    const target = authorization.searchParams.get('redirect_uri') ?? ''
    let { url, response } = await this.follow(authorization, target)
    while (response !== null) {
      // oxlint-disable-next-line no-await-in-loop
      const page = await response.text()
      if (response.status >= 400 && !page.includes('<form'))
        throw new PageShown(response.status, page)
        // oxlint-disable-next-line no-await-in-loop
      ;({ url, response } = await this.follow(url, target, this.submit(page, url)))
    }
    return url
  }

  /** Returns the request that submits the form of a page. */
  submit(page: string, url: URL, decision = page.includes('value="continue"') ? this.decision : 'cancel'): RequestInit {
    const token = /name="form_token" value="([^"]+)"/.exec(page)?.[1] ?? ''
    return {
      method: 'POST',
      body: new URLSearchParams({ form_token: token, decision }),
      headers: { origin: url.origin },
    }
  }

  #store({ host }: URL, cookie: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
    const path = /;\s*path=([^;]+)/i.exec(cookie)?.[1] ?? '/'
    const jar = this.cookies.get(host) ?? new Map<string, { value: string; path: string }>()
    this.cookies.set(host, jar)
    const key = `${name} ${path}`
    if (value === '' || /expires=Thu, 01 Jan 1970/i.test(cookie)) jar.delete(key)
    else jar.set(key, { value, path })
  }

  #cookiesFor({ host, pathname }: URL): string {
    const jar = this.cookies.get(host) ?? new Map<string, { value: string; path: string }>()
    return [...jar]
      .filter(([, { path }]) => pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`))
      .map(([key, { value }]) => `${key.split(' ')[0]}=${value}`)
      .join('; ')
  }
}

/** A page that ends the login. */
export class PageShown extends Error {
  constructor(
    readonly status: number,
    readonly page: string,
  ) {
    super(`page with status ${status}: ${/<p class="intro">([^<]*)/.exec(page)?.[1] ?? page.slice(0, 200)}`)
  }
}

function isAt(url: URL, target: string): boolean {
  const wanted = URL.canParse(target) ? new URL(target) : null
  return (
    wanted !== null &&
    url.origin === wanted.origin &&
    url.protocol === wanted.protocol &&
    url.pathname === wanted.pathname
  )
}
