import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'

const ofClients = ['application/json', 'text/event-stream']

/** Whether a browser asks for a page: API clients prefer other types, or send headers of MCP. */
export function asksForPage({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  return prefersHtml(headers.accept) && !namesMcp(headers)
}

/**
 * Whether the header names `text/html`, with a higher weight than each type of {@link ofClients}. Wildcards are
 * ignored.
 */
function prefersHtml(accept: string | undefined): boolean {
  if (accept === undefined || !/text\/html/i.test(accept)) return false
  const weights = new Map(accept.toLowerCase().split(',').map(readRange))
  const html = weights.get('text/html') ?? 0
  return html > 0 && ofClients.every((type) => html > (weights.get(type) ?? 0))
}

/** Reads a media range: `text/html;q=0.9` -> `['text/html', 0.9]`. An invalid weight is read as 0. */
function readRange(range: string): readonly [string, number] {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))
  return [type, weight === undefined ? 1 : Number(weight.slice(2)) || 0]
}

function namesMcp(headers: IncomingHttpHeaders): boolean {
  return Object.keys(headers).some((name) => name.startsWith('mcp-') || name === 'last-event-id')
}
