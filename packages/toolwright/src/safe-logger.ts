import { withoutQuery } from '@toolwright/fastify/internal'
import type { FastifyRequest, FastifyServerOptions } from 'fastify'
import { standardOutput } from './terminal-log.js'

const secretHeaders = ['authorization', 'proxy-authorization', 'cookie', 'set-cookie', 'dpop', 'x-api-key']

/** Paths of headers in log lines: top level, of a request or response, and of errors of clients such as axios. */
const headersAt = ['headers', 'req.headers', 'request.headers', 'res.headers', 'response.headers', 'err.config.headers']

/** Paths that are redacted. Log lines without these paths are not slowed down. */
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
  // Bytes of an invalid request, including its headers.
  'err.rawPacket',
  ...headersAt.flatMap((path) =>
    secretHeaders.flatMap((name) => [`${path}["${name}"]`, `${path}["${capitalize(name)}"]`]),
  ),
]

/**
 * Returns options for Fastify's logger that redact credentials, and that never block a call if lines cannot be written.
 * Options of the application take precedence.
 */
export function makeLoggerSafe(logger: FastifyServerOptions['logger']): FastifyServerOptions['logger'] {
  if (logger === false) return false
  const options = typeof logger === 'object' ? logger : {}
  const hasOutput = ['stream', 'file', 'transport'].some((name) => name in options)
  return {
    ...(hasOutput ? {} : { stream: standardOutput() }),
    redact: { paths: secretPaths, censor: '[redacted]' },
    ...options,
    serializers: { req: describeRequest, ...options.serializers },
  } as FastifyServerOptions['logger']
}

/** Serializes a request for the log. The function must not throw: the application may log any value as `req`. */
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
