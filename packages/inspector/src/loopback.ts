import { BootError } from '@toolwright/core'
import { isLoopback, tryLog } from '@toolwright/core/host'
import type { FastifyInstance, FastifyListenOptions, FastifyReply, FastifyRequest } from 'fastify'

const localHost = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i

const proxyHeaders = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip']

export type Check = (request: FastifyRequest, reply: FastifyReply, done: () => void) => void

/**
 * Rejects a request unless it was sent from this machine, to a name of this machine, and not by a page of another
 * origin.
 */
export function rejectRemoteRequests(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  const reason = findRejection(request)
  if (reason === null) return done()
  forbid(request, reply, reason)
}

export function forbid(request: FastifyRequest, reply: FastifyReply, reason: string): void {
  tryLog(() => request.log.warn({ reason }, 'request rejected: the inspector is for this machine only'))
  void reply
    .code(403)
    .headers(safeHeaders)
    .send({ error: `Forbidden: ${reason}` })
}

export const safeHeaders = {
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

function findRejection({ raw, headers }: FastifyRequest): string | null {
  // A Unix socket has no address. Requests over a Unix socket are rejected, because a proxy may forward them.
  if (!isLoopback(raw.socket.remoteAddress ?? 'unknown')) return 'the inspector serves this machine only'
  if (proxyHeaders.some((name) => headers[name] !== undefined)) return 'the inspector cannot be used through a proxy'
  const host = headers.host ?? headers[':authority'] ?? ''
  // Without this check, a page whose host name resolves to this machine could read everything (DNS rebinding).
  if (typeof host !== 'string' || !localHost.test(host)) return 'the host is not a name of this machine'
  if (isRepeatedHost(raw.rawHeaders)) return 'there is more than one host'
  const { origin } = headers
  if (origin !== undefined && !isOwnOrigin(origin, host)) return 'the request comes from another origin'
  // Browsers send this header even with requests that have no `Origin`.
  if (headers['sec-fetch-site'] === 'cross-site') return 'the request comes from another site'
  return null
}

function isOwnOrigin(origin: string, host: string): boolean {
  const own = origin.toLowerCase()
  return own === `http://${host.toLowerCase()}` || own === `https://${host.toLowerCase()}`
}

function isRepeatedHost(rawHeaders: readonly string[]): boolean {
  return rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length > 1
}

/** Rejects `listen` with an address that other machines can reach. */
export function listenOnLoopbackOnly(app: FastifyInstance, path: string): void {
  const root = rootOf(app)
  const listen = root.listen.bind(root) as (...args: unknown[]) => Promise<string>
  const guarded = (given?: FastifyListenOptions, callback?: (error: Error | null, address: string) => void) => {
    // Fastify's default host is localhost.
    const { host = 'localhost', path: socket } = given ?? {}
    if (socket === undefined && isLoopback(host)) return listen(given, callback)
    const error = exposed(socket ?? host, path)
    if (callback === undefined) return Promise.reject(error)
    callback(error, '')
    return undefined
  }
  root.listen = guarded as typeof root.listen
  // Needed if the application's `listen` was called before this plugin loaded.
  app.addHook('onListen', async () => {
    const addresses = app.addresses().map((one) => (typeof one === 'string' ? one : one.address))
    const foreign = addresses.find((address) => !isLoopback(address))
    if (foreign === undefined) return
    tryLog(() => app.log.fatal({ code: 'open-bind' }, exposed(foreign, path).message))
    // The result is not awaited: the application closes only after this hook has ended.
    void root.close()
  })
}

function rootOf(app: FastifyInstance): FastifyInstance {
  let root = app
  while (!Object.hasOwn(root, 'listen')) root = Object.getPrototypeOf(root) as FastifyInstance
  return root
}

function exposed(address: string, path: string): BootError {
  const where = address === '' ? 'every address' : `'${address}'`
  const message =
    `The inspector at '${path}' would be served on ${where}, which other machines can reach. The inspector shows and calls all ` +
    "features without authentication. Listen on 127.0.0.1, or register it only in development: `if (process.env.NODE_ENV !== 'production')`."
  return new BootError([{ code: 'open-bind', message }], 'The inspector cannot start')
}
