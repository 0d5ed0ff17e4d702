import { isJsonObject } from '@toolwright/core'
import { hostName, isPrivateHost } from './addresses.js'
import type { Documents } from './documents.js'
import { DocumentError } from './errors.js'
import { listAt } from './json.js'
import type { FoundOperation } from './operation.js'
import { serverUrl } from './parse-document.js'
import type { Base } from './request.js'

/** Determines the URL of each operation, and the only origin that gets credentials. */
export class Servers {
  readonly #baseUrl: URL | null

  constructor(
    readonly documents: Documents,
    baseUrl: string | URL | undefined,
    readonly allowed: ReadonlySet<string>,
  ) {
    this.#baseUrl = baseUrl === undefined ? null : new URL(baseUrl)
  }

  /**
   * Returns the origin that gets credentials: of `baseUrl`; of the URL of a downloaded document; otherwise of the first server
   * of the document. `null`: there is no such origin.
   */
  get trustedOrigin(): URL | null {
    if (this.#baseUrl !== null) return this.#baseUrl
    const { main, isRemote } = this.documents
    if (isRemote && main.url !== null) return main.url
    const [server] = listAt(main.root, 'servers')
    const href = isJsonObject(server) ? serverUrl(server) : ''
    return URL.canParse(href) ? new URL(href) : null
  }

  /** Returns the URL that an operation is called at. @throws DocumentError */
  baseOf({ raw, pathItem, document }: Pick<FoundOperation, 'raw' | 'pathItem' | 'document'>): Base {
    if (this.#baseUrl !== null) return toBase(this.#baseUrl)
    const owner = [raw, pathItem, this.documents.main.root].find((candidate) => listAt(candidate, 'servers').length > 0)
    const [server] = owner === undefined ? [] : listAt(owner, 'servers')
    const href = isJsonObject(server) ? serverUrl(server) : '/'
    const home = document.url !== null && document.url.protocol !== 'file:' ? document.url : undefined
    if (!URL.canParse(href, home?.href)) {
      throw new DocumentError(`its server '${href}' is no absolute URL. Set the option baseUrl`)
    }
    const url = new URL(href, home)
    if (url.protocol !== 'https:' && url.protocol !== 'http:') {
      throw new DocumentError(`its server '${href}' is no http: or https: URL. Set the option baseUrl`)
    }
    if (/[{}]|%7B/i.test(href))
      throw new DocumentError(`its server '${href}' has a variable without a default. Set the option baseUrl`)
    this.requireAllowed(url)
    return toBase(url)
  }

  /** @throws DocumentError for a literal address that is not public. Names are checked when a connection is made. */
  requireAllowed({ hostname }: URL): void {
    const host = hostName(hostname)
    if (this.allowed.has(host) || !isPrivateHost(host)) return
    throw new DocumentError(`the address of '${host}' is not public. To allow it, set allowPrivate: ['${host}']`)
  }
}

function toBase(url: URL): Base {
  return { origin: url.origin, path: url.pathname.replace(/\/+$/, '') }
}
