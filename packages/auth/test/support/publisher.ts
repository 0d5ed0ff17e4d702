import type { ServerResponse } from 'node:http'
import type { IdentityProvider } from './identity-provider.js'

/**
 * Responses of the issuer, by path: an object is sent as JSON, a string as it is, a number as a status, and `redirect`
 * is a redirect. By default, `/keys` has its keys, and all other paths get 404.
 */
export class Publisher {
  documents: Readonly<Record<string, unknown>> = {}
  /** Milliseconds before each response. */
  delayMs = 0
  /** Requested paths. */
  readonly requests: string[] = []

  constructor(provider: IdentityProvider) {
    provider.answer = ({ url = '' }, response) => {
      this.requests.push(url)
      const keys = { keys: provider.keys.map(({ jwk }) => jwk) }
      const documents: Readonly<Record<string, unknown>> = { '/keys': keys, ...this.documents }
      const document = url in documents ? documents[url] : 404
      if (this.delayMs === 0) send(response, document)
      else setTimeout(() => send(response, document), this.delayMs)
    }
  }
}

function send(response: ServerResponse, document: unknown): void {
  if (typeof document === 'number') response.writeHead(document).end()
  else if (typeof document === 'string') response.end(document)
  else if (isRedirect(document)) response.writeHead(302, { location: document.redirect }).end()
  else response.end(JSON.stringify(document))
}

function isRedirect(document: unknown): document is { readonly redirect: string } {
  return typeof document === 'object' && document !== null && 'redirect' in document
}
