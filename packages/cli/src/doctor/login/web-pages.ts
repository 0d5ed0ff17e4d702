import type { Schema } from '../../client/schema-types.js'
import { type Finding, ok, warn } from '../finding.js'
import { NoAnswer, type Requests } from './requests.js'

const origin = 'https://client.example'

/** Checks what clients inside a web page need, such as the MCP Inspector: CORS on each step. */
export async function checkWebPages(requests: Requests, metadata: Schema | null): Promise<readonly Finding[]> {
  const { server } = requests
  const wellKnown = new URL('/.well-known/oauth-protected-resource', server)
  const posted = ['registration_endpoint', 'token_endpoint'].flatMap((name) => {
    const url = metadata?.[name]
    return typeof url === 'string' && URL.canParse(url) ? [{ name, url: new URL(url) }] : []
  })
  const lacking: string[] = []
  if (!(await isReadable(requests, wellKnown))) lacking.push('the resource metadata')
  for (const { name, url } of posted) {
    // oxlint-disable-next-line no-await-in-loop
    if (!(await allowsPost(requests, url))) lacking.push(name)
  }
  if (lacking.length === 0) return [ok('web pages', 'clients in web pages can read each step of the login')]
  const text = `clients in web pages, such as the MCP Inspector, cannot use ${lacking.join(', ')}`
  const fix = 'Answer preflights, and send `Access-Control-Allow-Origin: *` there.'
  return [warn('web pages', text, fix)]
}

async function isReadable(requests: Requests, url: URL): Promise<boolean> {
  const answer = await attempt(requests, url, { headers: { origin } })
  // A document that does not exist was reported before.
  return answer === null || answer.status !== 200 || isAllowed(answer.headers)
}

async function allowsPost(requests: Requests, url: URL): Promise<boolean> {
  const headers = {
    origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'content-type',
  }
  const answer = await attempt(requests, url, { method: 'OPTIONS', headers })
  return answer !== null && answer.status < 300 && isAllowed(answer.headers)
}

async function attempt(requests: Requests, url: URL, init: RequestInit) {
  try {
    return await requests.send(url, init)
  } catch (error) {
    if (error instanceof NoAnswer) return null
    throw error
  }
}

function isAllowed(headers: Headers): boolean {
  return ['*', origin].includes(headers.get('access-control-allow-origin') ?? '')
}
