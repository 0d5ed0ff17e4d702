import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import { type Check, forbid, safeHeaders } from './loopback.js'

export interface ForwardTarget {
  /** URL of an MCP endpoint. Requests go to exactly this URL. */
  readonly url: string
  /** Headers to add, such as `authorization`. The headers stay on this machine: the page does not receive them. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Maximum length of a message of a client, in bytes. */
const maxBytes = 16 * 1024 * 1024

/** Request headers that are forwarded to the server. Cookies, `Origin` and `Host` are not forwarded. */
const forwarded = /^(?:accept|authorization|content-type|last-event-id|mcp-.*|x-.*|traceparent|tracestate)$/

/** Response headers that are forwarded to the page. Other headers could change how the browser treats this origin. */
const returned = /^(?:content-type|mcp-.*|www-authenticate|retry-after)$/

const asksForPassword = /\b(?:basic|digest|negotiate|ntlm)\b/i

const mcpType = /^(?:application\/json|text\/event-stream)\s*(?:;|$)/i

/** Headers of every response: a page or a script of the server must not run in the origin of the inspector. */
const isolated = { ...safeHeaders, 'content-security-policy': "default-src 'none'; sandbox" }

/**
 * Serves an endpoint by forwarding its requests to one URL, because the page cannot call servers of other origins
 * itself.
 */
export function forwardEndpoint(
  app: FastifyInstance,
  path: string,
  target: ForwardTarget,
  checks: readonly Check[],
): void {
  void app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: maxBytes }, (_request, body, parsed) =>
      parsed(null, body),
    )
    scope.route({
      method: ['GET', 'POST', 'DELETE'],
      url: path,
      schema: { hide: true } as FastifySchema,
      onRequest: [...checks, rejectNavigation],
      handler: (request, reply) => forward(request, reply, target),
    })
    done()
  })
}

async function forward(request: FastifyRequest, reply: FastifyReply, { url, headers }: ForwardTarget) {
  const controller = new AbortController()
  reply.raw.once('close', () => controller.abort())
  try {
    const response = await fetch(url, {
      method: request.method,
      headers: { ...pickHeaders(request), ...headers },
      body: request.method === 'POST' ? (request.body as Buffer<ArrayBuffer>) : null,
      redirect: 'manual',
      signal: controller.signal,
    })
    const location = response.headers.get('location')
    if (response.status >= 300 && response.status < 400 && location !== null) {
      return await fail(reply, `The server redirects to ${location}. Inspect that URL instead.`)
    }
    return await sendResponse(reply, response)
  } catch (error) {
    if (controller.signal.aborted) return reply
    return fail(reply, `Cannot reach ${url}: ${reasonOf(error)}`)
  }
}

/** Only scripts of the page need the endpoint. A document or a worker would run in the origin of the page. */
const rejectNavigation: Check = (request, reply, done) => {
  const { 'sec-fetch-dest': destination = 'empty' } = request.headers
  if (destination === 'empty') return done()
  forbid(request, reply, `the endpoint is not a ${destination}`)
}

function sendResponse(reply: FastifyReply, { status, headers, body }: Response) {
  reply.code(status).headers(isolated)
  for (const [name, value] of headers) {
    const isKept = returned.test(name) && !(name === 'www-authenticate' && asksForPassword.test(value))
    if (isKept) reply.header(name, value)
  }
  const type = headers.get('content-type')
  if (body === null || type === null) {
    void body?.cancel()
    return reply.send('')
  }
  if (!mcpType.test(type)) {
    if (status < 400) {
      void body.cancel()
      return fail(reply, `The server responded with ${type}, which is not a message of MCP.`)
    }
    // Proxies describe errors in HTML or plain text.
    reply.header('content-type', 'text/plain; charset=utf-8')
  }
  return reply.send(Readable.fromWeb(body as never))
}

function fail(reply: FastifyReply, error: string) {
  return reply.code(502).headers(isolated).header('content-type', 'application/json; charset=utf-8').send({ error })
}

function pickHeaders({ headers }: FastifyRequest): Record<string, string> {
  const picked = Object.entries(headers).filter(([name]) => forwarded.test(name) && !name.startsWith('x-forwarded-'))
  return Object.fromEntries(picked.map(([name, value]) => [name, String(value)]))
}

function reasonOf(error: unknown): string {
  const { cause } = error as { readonly cause?: unknown }
  if (cause instanceof Error) return cause.message || ((cause as { code?: string }).code ?? cause.name)
  return error instanceof Error ? error.message : String(error)
}
