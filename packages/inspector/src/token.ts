import { timingSafeEqual } from 'node:crypto'
import { type Check, forbid } from './loopback.js'

export const tokenHeader = 'inspector-token'

/**
 * Creates the check that a request has the token. Other users of this machine can send requests to loopback addresses as
 * well, but do not know the token.
 */
export function requireToken(token: string): Check {
  const expected = Buffer.from(token)
  return (request, reply, done) => {
    const { [tokenHeader]: given = '' } = request.headers
    const sent = Buffer.from(String(given))
    if (sent.length === expected.length && timingSafeEqual(sent, expected)) return done()
    // Tells the page that the inspector rejected the request, and not the server.
    reply.header(tokenHeader, 'required')
    forbid(
      request,
      reply,
      'the token is missing or wrong. Open the printed address of the inspector, which has the token',
    )
  }
}
