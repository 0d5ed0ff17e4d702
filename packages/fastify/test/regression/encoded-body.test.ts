// Bodies with an encoding or charset other than plain UTF-8.

import { Readable } from 'node:stream'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { closeApps, legacyMessage, openApp } from '../../../../test/support/client/index.js'
import { sendsHostileRequests } from '../../../../test/support/frames/frames.js'

beforeEach(() => sendsHostileRequests())

afterEach(closeApps)

const ping = JSON.stringify(legacyMessage('ping'))

async function send(app: FastifyInstance, payload: string | Buffer, headers: object, url = '/mcp') {
  const all = { host: 'localhost', accept: 'application/json, text/event-stream', ...headers }
  const { statusCode, body } = await app.inject({ method: 'POST', url, payload, headers: all })
  return { status: statusCode, json: JSON.parse(body) as { error?: { message: string } } }
}

const json = { 'content-type': 'application/json' }

test.each(['/mcp', '/rpc', '/messages?sessionId=x'])(
  'a body with Content-Encoding: gzip gets 415 at %s',
  async (url) => {
    const app = await openApp({ rpc: true, legacySse: true })
    for (const payload of [gzipSync(ping), ping]) {
      for (const encoding of ['gzip', 'br', 'GZIP', 'gzip, identity']) {
        // oxlint-disable-next-line no-await-in-loop
        const reply = await send(app, payload, { ...json, 'content-encoding': encoding }, url)
        expect(reply).toMatchObject({
          status: 415,
          json: { error: { message: 'Unsupported Media Type: send the body without Content-Encoding' } },
        })
      }
    }
  },
)

test.each(['utf-16', 'UTF-16LE', '"iso-8859-1"', 'latin1', 'utf-88'])(
  'a body with charset=%s gets 415',
  async (charset) => {
    const app = await openApp()
    const reply = await send(app, ping, { 'content-type': `application/json; charset=${charset}` })
    expect(reply).toMatchObject({ status: 415, json: { error: { message: 'Unsupported Media Type: send UTF-8' } } })
  },
)

test.each([
  json,
  { 'content-type': 'application/json; charset=utf-8' },
  { 'content-type': 'application/json;charset="UTF-8"' },
  { 'content-type': 'application/json; charset=utf8; x=y' },
  { 'content-type': 'application/json; charset=us-ascii' },
  { ...json, 'content-encoding': 'identity' },
])('a body with %j is served', async (headers) => {
  const app = await openApp()
  expect(await send(app, ping, headers)).toMatchObject({ status: 200, json: { result: {} } })
})

test('a body that a hook of the application decodes is served', async () => {
  const app = await openApp({})
  app.addHook('preParsing', async (_request, _reply, payload) => {
    const chunks: Buffer[] = []
    for await (const chunk of payload) chunks.push(chunk as Buffer)
    return Readable.from([gunzipSync(Buffer.concat(chunks))])
  })
  const reply = await send(app, gzipSync(ping), { ...json, 'content-encoding': 'gzip' })
  expect(reply).toMatchObject({ status: 200, json: { result: {} } })
})
