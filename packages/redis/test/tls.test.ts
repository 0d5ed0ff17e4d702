// Redis behind TLS, and rotated passwords. The test server has no TLS, so a node:tls server is in front of it.
import { once } from 'node:events'
import { type AddressInfo, connect as connectTcp, type Socket } from 'node:net'
import { type ConnectionOptions, createServer, type TLSSocket, type TlsOptions } from 'node:tls'
import { sessionRecord } from '../../../test/support/session-record.js'
import { until } from '../../../test/support/until.js'
import { otherTls, tls } from '../../fastify/test/support/tls.js'
import { newPrefix, RedisServer } from './support/redis-server.js'

const open: (() => void)[] = []
const isDone = (): boolean => true
const isFailed = (): boolean => false

const server = RedisServer.forTests(async () => {
  for (const close of open.splice(0)) close()
})

/** Forwards TLS connections to Redis. @returns Its URL. */
async function startTls(options: TlsOptions = {}): Promise<string> {
  const sockets = new Set<Socket>()
  const proxy = createServer({ ...tls, ...options }, (near: TLSSocket) => {
    const far = connectTcp(server.proxy.port, '127.0.0.1')
    for (const socket of [near, far]) sockets.add(socket.on('error', () => undefined))
    near.pipe(far).pipe(near)
  })
  // TLS itself reports a failed handshake to clients.
  proxy.on('tlsClientError', () => undefined).listen(0, '127.0.0.1')
  open.push(() => {
    proxy.close()
    for (const socket of sockets) socket.destroy()
  })
  await once(proxy, 'listening')
  return `rediss://127.0.0.1:${(proxy.address() as AddressInfo).port}`
}

/** A server that requires a client certificate. */
const mutual: TlsOptions = { requestCert: true, rejectUnauthorized: true, ca: tls.cert }
const good: ConnectionOptions = { ...tls, ca: tls.cert }

describe('a connection to Redis over TLS', () => {
  it('transmits commands and messages, with a client certificate', async () => {
    const [url, prefix] = [await startTls(mutual), newPrefix()]
    const [here, there] = [
      await server.connect({ url, prefix, tls: good }),
      await server.connect({ url, prefix, tls: good }),
    ]
    const heard: unknown[] = []
    server.stopLater(there.stores.changeBus.subscribe((change) => heard.push(change)))

    expect(await here.stores.sessionStore.create(sessionRecord('a'), 60_000)).toBe(true)
    expect(await there.stores.sessionStore.get('a')).toMatchObject(sessionRecord('a'))
    await until(async () => {
      await here.stores.changeBus.publish({ kind: 'tools' })
      return heard.length > 0
    })
  })

  it('is reopened after it broke', async () => {
    const { check } = await server.connect({ url: await startTls(mutual), tls: good })
    server.proxy.cut()
    await until(() => check().then(isDone, isFailed))

    await expect(check()).resolves.toBeUndefined()
  })

  it.each<[string, TlsOptions, ConnectionOptions, string]>([
    [
      'another authority',
      {},
      { ca: otherTls.cert },
      'Give tls: { ca } with the certificate of the certificate authority.',
    ],
    [
      'an authority that is not configured',
      {},
      {},
      'Give tls: { ca } with the certificate of the certificate authority.',
    ],
    ['no client certificate', mutual, { ca: tls.cert }, 'give tls: { cert, key } with a certificate that it accepts.'],
    [
      'no client certificate, in TLS 1.2',
      { ...mutual, maxVersion: 'TLSv1.2' },
      { ca: tls.cert },
      'give tls: { cert, key } with a certificate that it accepts.',
    ],
    [
      'another client certificate',
      mutual,
      { ca: tls.cert, ...otherTls },
      'give tls: { cert, key } with a certificate that it accepts.',
    ],
    ['another name', {}, { ca: tls.cert, servername: 'redis.example' }, 'Give tls: { servername }'],
  ])('is rejected with a fix: %s', async (_what, options, given, advice) => {
    const url = await startTls(options)

    await expect(server.connect({ url, tls: given })).rejects.toThrow(advice)
  })

  it('is suggested where the server cuts off plain connections', async () => {
    const url = (await startTls()).replace('rediss:', 'redis:')

    await expect(server.connect({ url })).rejects.toThrow('If the server expects TLS, begin the url with rediss://.')
  })
})

it('a rotated password is read from a url function, at the next connection', async () => {
  const rotate = (before: string, after: string): Promise<string> =>
    server.command(`AUTH ${before}\r\nCONFIG SET requirepass "${after}"`)
  let known = 'first'
  await rotate('none', known)
  try {
    const { check } = await server.connect({ url: () => server.url.replace('//', `//:${known}@`) })
    await rotate(known, 'second')
    server.proxy.cut()

    await until(() => check().then(isFailed, isDone))
    known = 'second'
    await until(() => check().then(isDone, isFailed))

    await expect(check()).resolves.toBeUndefined()
  } finally {
    await rotate('second', '')
  }
})
