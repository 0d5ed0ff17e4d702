import type { Schema } from '../../client/schema-types.js'
import { type Finding, fail, ok, warn } from '../finding.js'
import type { LoginClient } from './clients.js'
import { type Answer, describeAnswer, NoAnswer, type Requests, shown } from './requests.js'

/** Longest time in seconds that clients and networks should keep a document. */
const maxAgeSeconds = 86_400

/** The metadata of a server, by which clients find its login. */
export interface Discovery {
  readonly findings: readonly Finding[]
  /** The resource metadata; `null` if the server has no such document. */
  readonly resource: Schema | null
  /** The authorization server that clients use; `null` if no document names one. */
  readonly issuer: URL | null
  /** The issuer as the resource metadata spell it. */
  readonly issuerText: string
  /** Documents of the authorization server, in the order in which clients look for them. */
  readonly servers: readonly ServerDocument[]
}

export interface ServerDocument {
  readonly place: URL
  /** Whether the well-known path follows the path of the issuer, instead of preceding it. */
  readonly isAppended: boolean
  readonly metadata: Schema | null
  readonly fault: string
}

interface Found {
  readonly place: URL
  readonly answer: Answer | null
  readonly document: Schema | null
  readonly fault: string
}

export async function discover(requests: Requests): Promise<Discovery> {
  const { server } = requests
  const { findings, address } = await readChallenge(requests)
  const { found, chosen } = await readResource(requests, address)
  const resource = chosen?.document ?? null
  const named = issuersOf(resource)
  // Clients of older revisions know no resource metadata, and look for the metadata of the login at the server itself.
  const issuerText = named[0] ?? server.origin
  const issuer = URL.canParse(issuerText) ? new URL(issuerText) : null
  const servers = issuer === null ? [] : await readServers(requests, issuer)
  return {
    findings: [
      ...findings,
      ...checkPlaces(server, address, found, servers),
      ...checkCaching([...found.flatMap(({ answer }) => answer ?? []), ...(await answersOf(requests, servers))]),
    ],
    resource,
    issuer: resource !== null && named.length === 0 ? null : issuer,
    issuerText,
    servers,
  }
}

export function checkDocuments(client: LoginClient, server: URL, discovery: Discovery): readonly Finding[] {
  const { resource, issuer } = discovery
  const findings = resource === null ? [] : [checkResource(client, server, resource)]
  if (issuer === null) {
    const fix = 'Add `authorization_servers` with the URL of the authorization server.'
    return [...findings, fail('issuer', 'the resource metadata name no authorization server', fix)]
  }
  return [...findings, ...checkServer(client, discovery)]
}

export function metadataFor({ servers }: Discovery): Schema | null {
  return servers.find(({ metadata }) => metadata !== null)?.metadata ?? null
}

async function readChallenge(
  requests: Requests,
): Promise<{ readonly findings: readonly Finding[]; readonly address: URL | null }> {
  const { server } = requests
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })
  const answer = await requests.send(server, { method: 'POST', headers, body })
  const { status } = answer
  if (status >= 200 && status < 300) {
    const found = `status ${status} without credentials: clients log in only after 401`
    return { findings: [warn('challenge', found, 'Answer 401 where a login is necessary.')], address: null }
  }
  if (status !== 401) {
    const found = `the answer to a request without credentials ${describeAnswer(answer)}, but clients log in only after 401`
    return { findings: [fail('challenge', found, 'Give the URL of the endpoint, and answer 401.')], address: null }
  }
  const header = answer.headers.get('www-authenticate')
  if (header === null || !/\bbearer\b/i.test(header)) {
    const found = `status 401 ${header === null ? 'without WWW-Authenticate' : `with the challenge ${shown(header)}`}`
    const fix = 'Send `WWW-Authenticate: Bearer resource_metadata="…"`.'
    return {
      findings: [warn('challenge', `${found}: clients have to guess the place of the metadata`, fix)],
      address: null,
    }
  }
  const [, text] = /resource_metadata="([^"]*)"/i.exec(header) ?? []
  if (text === undefined) {
    const found = 'the challenge has no resource_metadata: clients have to guess the place of the metadata'
    return { findings: [warn('challenge', found, 'Add `resource_metadata="…"` to WWW-Authenticate.')], address: null }
  }
  const address = URL.canParse(text) ? new URL(text) : null
  if (address === null || address.origin !== server.origin) {
    const found = `the challenge names ${shown(text)}, but clients call ${server.origin}`
    const fix = 'Build the URL from the public URL of the server, not from its port or the Host header.'
    return { findings: [fail('challenge', found, fix)], address }
  }
  return { findings: [ok('challenge', 'status 401 names the resource metadata')], address }
}

async function readResource(requests: Requests, address: URL | null) {
  const { server } = requests
  const wellKnown = '/.well-known/oauth-protected-resource'
  const path = server.pathname === '/' ? '' : server.pathname.replace(/\/$/, '')
  const places = [
    ...(address === null ? [] : [address]),
    new URL(`${wellKnown}${path}`, server),
    new URL(wellKnown, server),
  ]
  const unique = places.filter(({ href }, index) => places.findIndex((one) => one.href === href) === index)
  const found = await Promise.all(unique.map((place) => readDocument(requests, place, 'resource')))
  return { found, chosen: found.find(({ document }) => document !== null) }
}

/** Reads a document. A document without its most important member is another page of the server. */
async function readDocument(requests: Requests, place: URL, member: string): Promise<Found> {
  try {
    const answer = await requests.send(place, { headers: { accept: 'application/json' } })
    const isDocument = answer.status === 200 && answer.json !== null && member in answer.json
    const fault = isDocument
      ? ''
      : `${place.href} ${answer.json === null || answer.status !== 200 ? describeAnswer(answer) : `has no ${member}`}`
    return { place, answer, document: isDocument ? answer.json : null, fault }
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error
    return { place, answer: null, document: null, fault: error.message }
  }
}

function checkPlaces(
  server: URL,
  address: URL | null,
  found: readonly Found[],
  servers: readonly ServerDocument[],
): readonly Finding[] {
  const documents = found.map(({ document }) => document).filter((one): one is Schema => one !== null)
  if (documents.length === 0) {
    const places = found.map(({ fault }) => shown(fault)).join('; ')
    const fix = 'Serve it (RFC 9728), outside authentication. A proxy has to forward `/.well-known/…`, too.'
    return servers.some(({ metadata }) => metadata !== null)
      ? [
          warn(
            'resource',
            `no resource metadata: only older rules lead to the login at ${server.origin}. ${places}`,
            fix,
          ),
        ]
      : [fail('resource', `no resource metadata: ${places}`, fix)]
  }
  const [first] = found
  const findings: Finding[] = []
  if (address !== null && first?.document === null) {
    findings.push(
      fail('resource', shown(first.fault), 'Serve the metadata at the URL of the challenge, outside authentication.'),
    )
  }
  const resources = [...new Set(documents.map((document) => shown(document['resource'])))]
  if (resources.length > 1) {
    const text = `the documents at the root and at the path name different resources: ${resources.join(', ')}`
    findings.push(fail('resource', text, 'Name the exact URL of the endpoint in both.'))
  }
  return findings
}

function checkCaching(answers: readonly Answer[]): readonly Finding[] {
  return answers.flatMap(({ url, headers }) => {
    const [, seconds = '0'] = /max-age=(\d+)/.exec(headers.get('cache-control') ?? '') ?? []
    if (Number(seconds) <= maxAgeSeconds) return []
    const text = `${url.pathname} may be cached for ${Math.round(Number(seconds) / 86_400)} days: clients would keep an old login`
    return [warn('caching', text, 'Send `Cache-Control: max-age=300`.')]
  })
}

function issuersOf(resource: Schema | null): readonly string[] {
  const { authorization_servers: servers } = resource ?? {}
  return Array.isArray(servers)
    ? servers.filter((one): one is string => typeof one === 'string' && URL.canParse(one))
    : []
}

async function readServers(requests: Requests, issuer: URL): Promise<readonly ServerDocument[]> {
  const { origin, pathname } = issuer
  const path = pathname.replace(/\/$/, '')
  const places = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    ...(path === '' ? [] : [`${origin}${path}/.well-known/openid-configuration`]),
  ].map((place) => new URL(place))
  return Promise.all(
    places.map(async (place, index) => {
      const { document, fault } = await readDocument(requests, place, 'issuer')
      return { place, isAppended: index === 2, metadata: document, fault }
    }),
  )
}

/** The answers that contained documents: they were requested before. */
async function answersOf(requests: Requests, servers: readonly ServerDocument[]): Promise<readonly Answer[]> {
  const found = servers.filter(({ metadata }) => metadata !== null)
  return Promise.all(found.map(({ place }) => requests.send(place, { headers: { accept: 'application/json' } })))
}

function checkResource({ resource: rule }: LoginClient, server: URL, { resource }: Schema): Finding {
  const fix = 'Set `resource` to the exact URL that clients call.'
  const text = `the resource metadata name ${shown(resource)}, but clients call ${server.href}`
  if (resource === server.href || (server.pathname === '/' && resource === server.origin))
    return ok('resource', server.href)
  const named = typeof resource === 'string' && URL.canParse(resource) ? new URL(resource) : null
  const base = named?.pathname.replace(/\/$/, '') ?? ''
  const isParent = named?.origin === server.origin && `${server.pathname}/`.startsWith(`${base}/`)
  return isParent && rule === 'parent' ? warn('resource', text, fix) : fail('resource', text, fix)
}

function checkServer(client: LoginClient, discovery: Discovery): readonly Finding[] {
  const { servers, issuerText, resource } = discovery
  const found = servers.find(({ metadata }) => metadata !== null)
  if (found?.metadata === undefined || found.metadata === null) {
    const places = servers.map(({ fault }) => shown(fault)).join('; ')
    return [
      fail(
        'issuer',
        `no metadata of ${issuerText}: ${places}`,
        'Serve them (RFC 8414). A proxy has to forward the URL.',
      ),
    ]
  }
  const { metadata, isAppended } = found
  const findings: Finding[] = []
  if (metadata['issuer'] !== issuerText && resource !== null) {
    const isSlash = `${shown(metadata['issuer'])}/` === issuerText || metadata['issuer'] === `${issuerText}/`
    const text = `the resource metadata name the issuer ${issuerText}, its own metadata ${shown(metadata['issuer'])}`
    const fix = 'Spell the issuer the same everywhere, with or without a slash.'
    findings.push(isSlash && !client.rejectsSlash ? warn('issuer', text, fix) : fail('issuer', text, fix))
  }
  if (isAppended && client.name === 'claude') {
    const text = `the metadata are only at ${found.place.pathname}, where Claude does not look, according to reports`
    const fix = `Serve them at ${servers[0]?.place.pathname}, too, or use an issuer without a path.`
    findings.push(warn('issuer', text, fix))
  }
  const endpoints = ['authorization_endpoint', 'token_endpoint'].filter((name) => typeof metadata[name] !== 'string')
  if (endpoints.length > 0) {
    findings.push(fail('issuer', `the metadata lack ${endpoints.join(' and ')}`, 'Add them to the metadata.'))
  }
  const { code_challenge_methods_supported: methods } = metadata
  if (!Array.isArray(methods) || !methods.includes('S256')) {
    const text = 'the metadata do not announce PKCE with S256'
    const fix = 'Add `code_challenge_methods_supported: ["S256"]`.'
    findings.push(client.needsPkceMethods ? fail('pkce', text, fix) : warn('pkce', text, fix))
  }
  findings.push(...checkScopes(client, resource, metadata))
  return findings.length > 0 ? findings : [ok('issuer', `${issuerText}, with PKCE`)]
}

const usualScopes = new Set(['openid', 'profile', 'email', 'phone', 'address', 'offline_access'])

function checkScopes(client: LoginClient, resource: Schema | null, metadata: Schema): readonly Finding[] {
  if (!client.requestsServerScopes) return []
  const listed = wordsOf(resource?.['scopes_supported'])
  const others = wordsOf(metadata['scopes_supported']).filter(
    (scope) => !listed.includes(scope) && !usualScopes.has(scope),
  )
  if (listed.length === 0 || others.length === 0) return []
  const text = `requests all scopes of the authorization server, such as ${shown(others.slice(0, 3).join(', '))}, which the resource does not list`
  return [warn('scopes', text, 'List only scopes in the metadata of the authorization server that each user may have.')]
}

export function wordsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : []
}
