import { Writable } from 'node:stream'
import { type Limits } from '@toolwright/core'
import { mcp } from '@toolwright/fastify'
import { type ServerOptions } from '@toolwright/server'
import { InMemorySessionStore } from '@toolwright/sessions'
import Fastify, { type FastifyInstance } from 'fastify'

/** An error that database clients may reject with: the logger reads every member of it, and one member throws. */
function unreadable(): Error {
  return Object.defineProperty(new Error('down'), 'detail', {
    enumerable: true,
    get: () => {
      throw new Error('nobody is to see this')
    },
  })
}

const fail = (): Promise<never> => Promise.reject(unreadable())

let apps: FastifyInstance[] = []

afterEach(async () => {
  await Promise.all(apps.map((app) => app.close()))
  apps = []
})

async function open(options: Partial<ServerOptions> & { limits?: Partial<Limits> }) {
  const logged: string[] = []
  const write = (line: Buffer, _encoding: string, done: () => void): void => {
    logged.push((JSON.parse(line.toString()) as { readonly msg: string }).msg)
    done()
  }
  const app = Fastify({ logger: { level: 'error', stream: new Writable({ write }) } })
  apps.push(app)
  await app.register(mcp, { name: 'test', version: '1.0.0', controllers: [], ...options })
  const post = async (method: string, params: object) => {
    const { statusCode, body } = await app.inject({
      method: 'POST',
      url: '/mcp',
      headers: { accept: 'application/json, text/event-stream', host: 'localhost' },
      payload: { jsonrpc: '2.0', id: 1, method, params },
    })
    return { status: statusCode, answer: JSON.parse(body) as unknown }
  }
  return { logged, post }
}

const error = (code: number, message: string, data?: object) => ({
  jsonrpc: '2.0',
  id: 1,
  error: { code, message, data },
})

it('an unloggable error of a limiter rejects the call like any other error', async () => {
  const { logged, post } = await open({ rateLimit: { calls: 5, windowMs: 1000 }, rateLimiter: { take: fail } })
  expect(await post('ping', {})).toEqual({
    status: 503,
    answer: error(-32603, 'The rate limiter is temporarily unavailable. Try again in 1 s', { retryAfterMs: 1000 }),
  })
  expect(logged).toEqual(['the rate limiter fails: clients are asked to retry with an error that cannot be logged'])
})

it('an unloggable error of a session store causes 503 like any other error', async () => {
  const sessionStore = Object.assign(new InMemorySessionStore({ maxSessions: 10 }), { create: fail })
  const { logged, post } = await open({ sessionStore })
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } }
  expect(await post('initialize', params)).toEqual({
    status: 503,
    answer: error(-32603, 'Sessions are temporarily unavailable. Try again in 1 s', { retryAfterMs: 1000 }),
  })
  expect(logged).toEqual([expect.stringContaining('clients are asked to retry with an error that cannot be logged')])
})
