import type { IncomingMessage } from 'node:http'

const maxBytes = 64 * 1024
const timeoutMs = 10_000

/** The body is too large or too slow, or has another media type. */
export class BadBody extends Error {}

export async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  return new URLSearchParams(await readBody(request, 'application/x-www-form-urlencoded'))
}

export async function readJsonObject(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const text = await readBody(request, 'application/json')
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {
    // The error below describes the problem.
  }
  throw new BadBody('the body is not a JSON object')
}

async function readBody(request: IncomingMessage, type: string): Promise<string> {
  const given = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase()
  if (given !== type) throw new BadBody(`the body has to be ${type}`)
  const timer = setTimeout(() => request.destroy(), timeoutMs)
  try {
    const parts: Buffer[] = []
    let length = 0
    for await (const part of request as AsyncIterable<Buffer>) {
      length += part.length
      if (length > maxBytes) throw new BadBody(`the body is larger than ${maxBytes} bytes`)
      parts.push(part)
    }
    return Buffer.concat(parts).toString()
  } finally {
    clearTimeout(timer)
  }
}
