import { type LookupAddress, lookup } from 'node:dns'
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

/**
 * Fetches a document of at most 5 KiB over https, in at most five seconds. Connects to public addresses only, and to the address that
 * was checked: a second lookup could return another one. Does not follow redirects.
 */
export const fetchPublic: FetchDocument = async (url) => {
  if (running >= maxConcurrent) throw new Error(`${maxConcurrent} documents are being fetched already`)
  running++
  try {
    return await get(new URL(url))
  } finally {
    running--
  }
}

function get(url: URL): Promise<Response> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (url.protocol !== 'https:') return Promise.reject(new Error('the URL does not begin with https:'))
  // Node does not look up an address.
  if (isIP(host) !== 0 && !isPublicAddress(host)) return Promise.reject(privateAddress())
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(timeoutMs)
    const headers = { accept: 'application/json', 'user-agent': 'toolwright' }
    const sent = request(url, { lookup: lookupPublic, signal, headers, agent: false }, (response) => {
      const parts: Buffer[] = []
      let length = 0
      response.on('data', (part: Buffer) => {
        length += part.length
        if (length <= maxBytes) parts.push(part)
        else sent.destroy(new Error(`the document is larger than ${maxBytes} bytes`))
      })
      response.on('error', reject)
      response.on('end', () => {
        const { statusCode: status = 0, headers: received } = response
        const kept = ['cache-control', 'content-type', 'expires'].flatMap((name) => {
          const value = received[name]
          return typeof value === 'string' ? [[name, value] as [string, string]] : []
        })
        // A response with another status has no document.
        resolve(
          new Response(status === 200 ? Buffer.concat(parts) : null, { status: safeStatus(status), headers: kept }),
        )
      })
    })
    sent.on('error', reject)
    sent.end()
  })
}

/** `Response` accepts 200 to 599 only. */
function safeStatus(status: number): number {
  return status >= 200 && status <= 599 ? status : 502
}

const lookupPublic: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, found: LookupAddress[]) => {
    if (error !== null) return callback(error, '')
    const [first] = found
    if (first === undefined || !found.every(({ address }) => isPublicAddress(address))) {
      return callback(privateAddress(), '')
    }
    return options.all === true ? callback(null, found) : callback(null, first.address, first.family)
  })
}

function privateAddress(): Error {
  return new Error('the host has an address that is not public')
}
