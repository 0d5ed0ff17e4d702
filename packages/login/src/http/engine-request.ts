import { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'

/** Cookies of the engine's own sessions, which are never used. */
const sessionCookies = /(?:^|;\s*)login_session(?:\.\w+)*=[^;]*/g

/**
 * Creates the request that the engine sees: at the public URL of the server, with the headers of proxies removed.
 *
 * @param url Path and query.
 */
export function engineRequest(
  { raw, headers }: FastifyRequest,
  issuer: string,
  { method, url, body }: { readonly method: string; readonly url: string; readonly body?: string },
): IncomingMessage {
  const copy = new IncomingMessage(raw.socket)
  const { protocol, host } = new URL(issuer)
  copy.method = method
  copy.url = url
  copy.httpVersion = raw.httpVersion
  const kept = Object.entries(headers).filter(
    ([name]) => !/^(?::|x-forwarded-|forwarded$|host$|content-|transfer-)/.test(name),
  )
  copy.headers = {
    ...Object.fromEntries(kept),
    host,
    'x-forwarded-proto': protocol.slice(0, -1),
    ...(headers.cookie === undefined ? {} : { cookie: headers.cookie.replace(sessionCookies, '') }),
    ...(body === undefined
      ? {}
      : {
          'content-type': 'application/x-www-form-urlencoded',
          'content-length': String(Buffer.byteLength(body)),
        }),
  }
  if (body !== undefined) copy.push(body)
  // Otherwise, Node would close the connection when the copy has been read.
  copy.complete = true
  copy.push(null)
  return copy
}
