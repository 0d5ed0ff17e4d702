import { logOutput } from '@toolwright/core/internal'
import { withoutQuery } from '@toolwright/fastify/internal'
import type { FastifyRequest, FastifyServerOptions } from 'fastify'

/** Headers that let others act as the caller. */
const secretHeaders = ['authorization', 'proxy-authorization', 'cookie', 'set-cookie', 'dpop', 'x-api-key']

/** Where log lines have headers: as they are, of a request or response, of an error of a client such as axios. */
const headersAt = ['headers', 'req.headers', 'request.headers', 'res.headers', 'response.headers', 'err.config.headers']

/** Members of log lines. Lines that have none of them cost nothing more. */
const secretPaths = [
  'authorization',
  'cookie',
  'dpop',
  'token',
  'access_token',
  'accessToken',
  'apiKey',
  'password',
  'clientSecret',
  // The bytes of a request that is none, its headers among them.
  'err.rawPacket',
  ...headersAt.flatMap((path) =>
    secretHeaders.flatMap((name) => [`${path}["${name}"]`, `${path}["${capitalize(name)}"]`]),
  ),
]

/**
 * Fastify's logger, in whose lines there are no credentials, and which holds up no call where they cannot be written. What
 * the application sets itself is left as it is, and a logger of its own is its own.
 */
export function makeLoggerSafe(logger: FastifyServerOptions['logger']): FastifyServerOptions['logger'] {
  if (logger === false) return false
  const options = typeof logger === 'object' ? logger : {}
  const hasOutput = ['stream', 'file', 'transport'].some((name) => name in options)
  return {
    ...(hasOutput ? {} : { stream: logOutput(process.stdout.fd || 1) }),
    redact: { paths: secretPaths, censor: '[redacted]' },
    ...options,
    serializers: { req: describeRequest, ...options.serializers },
  } as FastifyServerOptions['logger']
}

/** What Fastify logs of a request, or of what the application calls one: it may be anything, and no line is worth a call. */
function describeRequest(request: Partial<FastifyRequest> | null): object {
  const { method, url, host, ip: remoteAddress, socket, headers } = request ?? {}
  return {
    method,
    url: readWithoutQuery(url),
    version: headers?.['accept-version'],
    host: readWithoutQuery(host),
    remoteAddress,
    remotePort: socket?.remotePort,
  }
}

function readWithoutQuery(text: unknown): string | undefined {
  return typeof text === 'string' || text instanceof URL ? withoutQuery(String(text)) : undefined
}

function capitalize(header: string): string {
  return header.replace(/(^|-)[a-z]/g, (first) => first.toUpperCase())
}
