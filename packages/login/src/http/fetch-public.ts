import { type LookupAddress, lookup as lookupAddresses } from 'node:dns'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { isPublicAddress } from './public-addresses.js'

const timeoutMs = 5000
const maxBytes = 5 * 1024
const maxConcurrent = 20

/** Fetches a document whose URL a stranger chose. */
export type FetchDocument = (url: string) => Promise<Response>

/** Limits the requests that strangers can cause. */
let running = 0

interface FetchOptions {
  readonly isAllowed: (address: string) => boolean
  /** Certificates of authorities. Default: those of Node. */
  readonly ca?: string
}

/**
 * Creates a function that fetches documents of at most 5 KiB over https, in at most five seconds. It connects only to the address that
 * was checked: a second lookup could return another one. It does not follow redirects.
 */
export function createDocumentFetch(options: FetchOptions): FetchDocument {
  return async (url) => {
    if (running >= maxConcurrent) throw new Error(`${maxConcurrent} documents are being fetched already`)
    running++
    try {
      return await get(new URL(url), options)
    } finally {
      running--
    }
  }
}

export const fetchPublic = createDocumentFetch({ isAllowed: isPublicAddress })

function get(url: URL, { isAllowed, ca }: FetchOptions): Promise<Response> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (url.protocol !== 'https:') return Promise.reject(new Error('the URL does not begin with https:'))
  // Node does not look up an address.
  if (isIP(host) !== 0 && !isAllowed(host)) return Promise.reject(forbiddenAddress())
  return new Promise((resolve, reject) => {
    const lookup = lookupAllowed(isAllowed)
    const headers = { accept: 'application/json', 'user-agent': 'toolwright' }
    const options = {
      lookup,
      headers,
      agent: false,
      signal: AbortSignal.timeout(timeoutMs),
      ...(ca === undefined ? {} : { ca }),
    }
    const sent = request(url, options, (response) => {
      const parts: Buffer[] = []
      let length = 0
      response.on('data', (part: Buffer) => {
        length += part.length
        if (length <= maxBytes) parts.push(part)
        else sent.destroy(new Error(`the document is larger than ${maxBytes} bytes`))
      })
      response.on('error', reject)
      response.on('end', () => resolve(toResponse(response, Buffer.concat(parts))))
    })
    sent.on('error', reject)
    sent.end()
  })
}

const keptHeaders = ['cache-control', 'content-type', 'expires']

function toResponse({ statusCode = 0, headers }: IncomingMessage, body: Buffer): Response {
  const kept = keptHeaders.flatMap((name) => {
    const value = headers[name]
    return typeof value === 'string' ? [[name, value] as [string, string]] : []
  })
  // A response with another status has no document. `Response` accepts 200 to 599 only.
  const status = statusCode >= 200 && statusCode <= 599 ? statusCode : 502
  return new Response(status === 200 ? new Uint8Array(body) : null, { status, headers: kept })
}

function lookupAllowed(isAllowed: FetchOptions['isAllowed']): LookupFunction {
  return (hostname, options, callback) => {
    lookupAddresses(hostname, { ...options, all: true }, (error, found: LookupAddress[]) => {
      if (error !== null) return callback(error, '')
      const [first] = found
      if (first === undefined || !found.every(({ address }) => isAllowed(address))) {
        return callback(forbiddenAddress(), '')
      }
      return options.all === true ? callback(null, found) : callback(null, first.address, first.family)
    })
  }
}

function forbiddenAddress(): Error {
  return new Error('the host has an address that is not public')
}
