import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import { rejectRemoteRequests } from './loopback.js'

/** The server that requests are forwarded to. */
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

/** Response headers that are not forwarded: they are wrong for the decoded body, or apply only to the original host. */
const dropped =
  /^(?:connection|content-encoding|content-length|keep-alive|set-cookie|transfer-encoding|access-control-.*|strict-transport-security|alt-svc)$/

/**
 * Serves an endpoint by forwarding its requests to one URL, because the page cannot call servers of other origins
 * itself.
 */
export function forwardEndpoint(app: FastifyInstance, path: string, target: ForwardTarget): void {
  void app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: maxBytes }, (_request, body, parsed) =>
      parsed(null, body),
    )
    scope.route({
      method: ['GET', 'POST', 'DELETE'],
      url: path,
      schema: { hide: true } as FastifySchema,
      onRequest: rejectRemoteRequests,
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
      return await reply.code(502).send({ error: `The server redirects to ${location}. Inspect that URL instead.` })
    }
    for (const [name, value] of response.headers) if (!dropped.test(name)) reply.header(name, value)
    return await reply
      .code(response.status)
      .send(response.body === null ? '' : Readable.fromWeb(response.body as never))
  } catch (error) {
    if (controller.signal.aborted) return reply
    return reply.code(502).send({ error: `Cannot reach ${url}: ${reasonOf(error)}` })
  }
}

function pickHeaders({ headers }: FastifyRequest): Record<string, string> {
  const picked = Object.entries(headers).filter(([name]) => forwarded.test(name) && !name.startsWith('x-forwarded-'))
  return Object.fromEntries(picked.map(([name, value]) => [name, String(value)]))
}

/** Returns the reason of a failed `fetch`: the cause of its error. */
function reasonOf(error: unknown): string {
  const { cause } = error as { readonly cause?: unknown }
  if (cause instanceof Error) return cause.message || ((cause as { code?: string }).code ?? cause.name)
  return error instanceof Error ? error.message : String(error)
}
