import { lookup } from 'node:dns'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isPrivateHost, isPublicAddress } from '../src/addresses.js'
import { startApi } from './support/api.js'
import { documentOf, operationOf, serveDocument } from './support/serve.js'

jest.mock('node:dns', () => ({ ...jest.requireActual<object>('node:dns'), lookup: jest.fn() }))
const lookedUp = jest.mocked(lookup) as unknown as jest.Mock

/** Answers each lookup with the next list of addresses. */
function resolveTo(...answers: readonly (readonly string[])[]): void {
  let count = 0
  lookedUp.mockImplementation((_name: string, _options: object, callback: (error: null, found: object[]) => void) => {
    const addresses = answers[Math.min(count++, answers.length - 1)] as readonly string[]
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  })
}

describe('addresses', () => {
  it.each([
    '127.0.0.1',
    '127.8.9.1',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '0.0.0.0',
    '100.64.0.1',
    '198.18.0.1',
    '192.0.2.1',
    '224.0.0.1',
    '255.255.255.255',
    '240.0.0.1',
    '192.88.99.1',
    '::1',
    '::',
    'fe80::1',
    'fe80::1%eth0',
    'fc00::1',
    'fd12:3456::1',
    'ff02::1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '::ffff:7f00:1',
    '64:ff9b::7f00:1',
    '64:ff9b::a9fe:a9fe',
    '2002:7f00:1::',
    '2001:0:53aa:64c::',
    '2001:db8::1',
    '[::1]',
    'no address',
    '',
  ])('of the network of this server are not public: %s', (address) => {
    expect(isPublicAddress(address)).toBe(false)
  })

  it.each(['8.8.8.8', '1.1.1.1', '93.184.216.34', '2606:4700:4700::1111'])(
    'of the internet are public: %s',
    (address) => {
      expect(isPublicAddress(address)).toBe(true)
    },
  )

  it.each([
    'localhost',
    'LOCALHOST.',
    'api.localhost',
    new URL('http://2130706433').hostname,
    new URL('http://0x7f.1').hostname,
  ])('of this machine are found in URLs: %s', (host) => {
    expect(isPrivateHost(host)).toBe(true)
  })
})

describe('a request', () => {
  const document = operationOf({})

  it.each([
    ['127.0.0.1'],
    ['169.254.169.254'],
    ['10.1.2.3', '192.168.0.1'],
    ['::1'],
    ['::ffff:127.0.0.1'],
    ['64:ff9b::7f00:1'],
  ])('is not sent if the name of the API has only private addresses: %s', async (...addresses) => {
    resolveTo(addresses)
    await using api = await startApi()
    const { port } = new URL(api.url)
    await using served = await serveDocument({ document, baseUrl: `http://api.example.com:${port}` }, null)
    expect(await served.text('call')).toMatch(/^The address of the API is not allowed/)
    expect(api.received).toEqual([])
  })

  it('is sent to a private address if the name is allowed', async () => {
    await using api = await startApi()
    const { port } = new URL(api.url)
    await using served = await serveDocument(
      { document, baseUrl: `http://localhost:${port}`, allowPrivate: ['LocalHost'] },
      null,
    )
    await served.call('call')
    expect(api.only().headers.host).toBe(`localhost:${port}`)
  })

  it('is checked anew when the address of a name has changed after boot', async () => {
    resolveTo(['127.0.0.1'])
    await using api = await startApi()
    const { port } = new URL(api.url)
    await using served = await serveDocument({ document, baseUrl: `http://rebound.example.com:${port}` }, null)
    expect(await served.text('call')).toMatch(/not allowed/)
    expect(await served.text('call')).toMatch(/not allowed/)
    expect(api.received).toEqual([])
  })

  it.each([
    'http://127.0.0.1:8080',
    'http://localhost',
    'http://2130706433',
    'http://0x7f.1/',
    'http://[::1]:1234',
    'http://[::ffff:7f00:1]',
    'https://169.254.169.254/latest',
  ])('to a literal private address is a problem at boot: %s', async (baseUrl) => {
    await expect(serveDocument({ document, baseUrl }, null)).rejects.toThrow(
      /baseUrl: the address of '.*' is not public. To allow it, set allowPrivate: \['/,
    )
  })

  it('to a literal private address of the document is left out', async () => {
    const paths = {
      '/good': { get: { operationId: 'good' } },
      '/bad': { get: { operationId: 'bad', servers: [{ url: 'http://169.254.169.254/latest' }] } },
    }
    const servers = [{ url: 'https://api.example.com' }]
    await using served = await serveDocument({ document: documentOf(paths, { servers }) }, null)
    expect(served.server.explain().sources[0]).toMatchObject({
      added: [{ origin: 'GET /good' }],
      leftOut: [{ origin: 'GET /bad', reason: expect.stringContaining("'169.254.169.254' is not public") }],
    })
  })

  it('that is redirected to a private address is not sent there', async () => {
    await using inner = await startApi()
    resolveTo(['127.0.0.1'])
    await using api = await startApi(() => ({
      status: 302,
      headers: { location: `http://metadata.example.com:${new URL(inner.url).port}/` },
    }))
    await using served = await serveDocument({ document }, api)
    expect(await served.text('call')).toMatch(/not allowed/)
    expect(inner.received).toEqual([])
  })

  it('that is redirected to a literal private address is not sent there', async () => {
    const inner = createServer((_, response) => response.end('secret'))
    await new Promise<void>((resolve) => inner.listen(0, '127.0.0.2', resolve))
    const { port } = inner.address() as AddressInfo
    await using api = await startApi(() => ({ status: 307, headers: { location: `http://127.0.0.2:${port}/` } }))
    await using served = await serveDocument({ document }, api)
    expect(await served.text('call')).toMatch(/not allowed/)
    inner.close()
  })
})
