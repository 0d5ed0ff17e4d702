import { createHash, randomBytes } from 'node:crypto'
import type { Schema } from '../../client/schema-types.js'
import { type Finding, fail, ok, warn } from '../finding.js'
import type { LoginClient } from './clients.js'
import { wordsOf } from './discover.js'
import type { Identity } from './register.js'
import { type Answer, NoAnswer, type Requests, shown } from './requests.js'

/** A state with characters that servers encode wrongly. */
const state = 'doctor/+=&%25 x'

export interface AuthorizeParts {
  readonly client: LoginClient
  readonly identity: Identity
  readonly metadata: Schema
  readonly resource: Schema | null
}

/**
 * Opens the authorization endpoint as a browser would, and stops there. A page or a redirect to one means that the request was accepted.
 * Only a redirect back to the client, or an error, says that the login would fail.
 */
export async function authorize(requests: Requests, parts: AuthorizeParts): Promise<readonly Finding[]> {
  const endpoint = parts.metadata['authorization_endpoint']
  if (typeof endpoint !== 'string' || !URL.canParse(endpoint) || !/^https?:$/.test(new URL(endpoint).protocol)) {
    return [fail('authorize', `authorization_endpoint is ${shown(endpoint)}`, 'Give an https: URL.')]
  }
  const wanted = parametersOf(requests.server, parts)
  try {
    const answer = await open(requests, endpoint, wanted)
    const fault = faultOf(answer, parts.identity.redirectUri)
    if (fault === null) return [await checkLaterPort(requests, endpoint, wanted, parts)]
    const findings = [await explain(requests, endpoint, wanted, fault, parts)]
    return [...findings, ...checkErrorRedirect(answer, parts)]
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error
    return [fail('authorize', error.message, 'Serve the endpoint, at a URL that browsers reach.')]
  }
}

/** Checks a login from another port: clients on the user's machine keep their registration, and listen on a free port. */
async function checkLaterPort(
  requests: Requests,
  endpoint: string,
  wanted: Parameters,
  { client, identity }: AuthorizeParts,
): Promise<Finding> {
  const { laterRedirectUri: later, redirectUri } = client
  if (later !== undefined && identity.redirectUri === redirectUri && identity.clientId !== client.document) {
    const fault = faultOf(await open(requests, endpoint, { ...wanted, redirect_uri: later }), later)
    if (fault !== null) {
      const text = `a login from another port of the user's machine is rejected: ${shown(fault)}`
      return warn('authorize', text, 'Ignore the port of redirect URIs on this machine (RFC 8252, section 7.3).')
    }
  }
  return ok('authorize', 'the authorization request is accepted')
}

type Parameters = Readonly<Record<string, string>>

function parametersOf(server: URL, { client, identity, metadata, resource }: AuthorizeParts): Parameters {
  const challenge = createHash('sha256').update(randomBytes(32)).digest('base64url')
  const scopes = wordsOf((client.requestsServerScopes ? metadata : resource)?.['scopes_supported'])
  const offline = wordsOf(metadata['scopes_supported']).includes('offline_access') ? ['offline_access'] : []
  const all = [...new Set([...scopes, ...(scopes.length > 0 ? offline : [])])]
  return {
    response_type: 'code',
    client_id: identity.clientId,
    redirect_uri: identity.redirectUri,
    state,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...(all.length === 0 ? {} : { scope: all.join(' ') }),
    resource: typeof resource?.['resource'] === 'string' ? resource['resource'] : server.href,
  }
}

function open(requests: Requests, endpoint: string, parameters: Parameters): Promise<Answer> {
  const url = new URL(endpoint)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return requests.send(url, { headers: { accept: 'text/html' } })
}

/** Error pages of providers that have status 200. */
const errorPage = /AADSTS\d+[^<\n]{0,150}|"error"\s*:\s*"[\w ]+"/

function faultOf(answer: Answer, redirectUri: string): string | null {
  const { status, headers, text } = answer
  const location = headers.get('location')
  if (status >= 300 && status < 400 && location !== null) {
    const target = URL.canParse(location, answer.url.href) ? new URL(location, answer.url) : null
    const error = target?.searchParams.get('error') ?? null
    if (error !== null) return `${error} ${target?.searchParams.get('error_description') ?? ''}`.trim()
    return isSameTarget(location, redirectUri) ? 'it returns to the client without asking the user' : null
  }
  const [code] = errorPage.exec(text) ?? []
  if (status < 400 && code === undefined) return null
  return code ?? `status ${status}: ${textOf(text)}`
}

/** Tries the request without the parts that providers reject, to name the one that matters. */
async function explain(
  requests: Requests,
  endpoint: string,
  wanted: Parameters,
  fault: string,
  { client, identity }: AuthorizeParts,
): Promise<Finding> {
  const text = `the authorization request is rejected: ${shown(fault)}`
  const isAccepted = async (changes: Readonly<Record<string, string | undefined>>): Promise<boolean> => {
    const changed = Object.entries({ ...wanted, ...changes }).filter(([, value]) => value !== undefined)
    const answer = await open(requests, endpoint, Object.fromEntries(changed) as Parameters)
    return faultOf(answer, identity.redirectUri) === null
  }
  if (await isAccepted({ resource: undefined })) {
    const fix =
      'Accept the `resource` of the metadata (RFC 8707), or put a login in front that does not send it, such as @toolwright/login.'
    return fail('authorize', `${text}. It is accepted without \`resource\`, which the client sends`, fix)
  }
  if (wanted['scope'] !== undefined && (await isAccepted({ scope: undefined }))) {
    const fix = 'Let each client request the scopes of the metadata, also if it registered none.'
    return fail(
      'authorize',
      `${text}. It is accepted without scopes, and the client requests ${shown(wanted['scope'])}`,
      fix,
    )
  }
  if (identity.clientId === client.document) {
    const fix = `Fetch ${client.document}, and accept its redirect URIs with any port on the user's machine.`
    return fail('authorize', text, fix)
  }
  return fail('authorize', text, `Accept the redirect URI ${identity.redirectUri} of the registration.`)
}

/** Checks an error that was sent to the client: state and issuer have to be there as well. */
function checkErrorRedirect(answer: Answer, { identity, metadata }: AuthorizeParts): readonly Finding[] {
  const location = answer.headers.get('location') ?? ''
  if (!isSameTarget(location, identity.redirectUri)) return []
  const { searchParams } = new URL(location)
  const findings: Finding[] = []
  if (searchParams.get('state') !== state) {
    findings.push(
      warn(
        'authorize',
        `the response changes the state to ${shown(searchParams.get('state'))}`,
        'Return the same bytes.',
      ),
    )
  }
  const issuers = searchParams.getAll('iss')
  const promises = metadata['authorization_response_iss_parameter_supported'] === true
  if (promises && (issuers.length !== 1 || issuers[0] !== metadata['issuer'])) {
    const text = `the response has the iss ${shown(issuers.join(', '))}, but the metadata promise ${shown(metadata['issuer'])}`
    findings.push(fail('authorize', text, 'Send exactly the issuer of the metadata (RFC 9207), with errors as well.'))
  }
  return findings
}

function isSameTarget(location: string, redirectUri: string): boolean {
  if (!URL.canParse(location)) return false
  const [one, other] = [new URL(location), new URL(redirectUri)]
  return one.protocol === other.protocol && one.host === other.host && one.pathname === other.pathname
}

const maxPageLength = 8192

function textOf(page: string): string {
  // Longer pages could take these expressions minutes.
  const body = page
    .slice(0, maxPageLength)
    .replaceAll(/<(style|script|head)\b[^]*?<\/\1>/gi, ' ')
    .replaceAll(/<[^>]*>/g, ' ')
  return shown(body)
}
