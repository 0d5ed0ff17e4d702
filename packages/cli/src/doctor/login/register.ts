import type { Schema } from '../../client/schema-types.js'
import { type Finding, fail, ok, warn } from '../finding.js'
import type { LoginClient } from './clients.js'
import { wordsOf } from './discover.js'
import { type Answer, describeAnswer, NoAnswer, type Requests, shown } from './requests.js'

export interface Identity {
  readonly clientId: string
  readonly redirectUri: string
}

export interface Registration {
  readonly findings: readonly Finding[]
  /** `null` if the client has no identity, so that its login ends here. */
  readonly identity: Identity | null
}

/**
 * Gets an identity as this client does: a given id, the URL of its metadata, or a registration (RFC 7591).
 *
 * @param given Id that the user registered.
 */
export async function register(
  requests: Requests,
  client: LoginClient,
  metadata: Schema,
  given: string | undefined,
): Promise<Registration> {
  if (given !== undefined) {
    return {
      findings: [ok('client', `the given id ${shown(given)}`)],
      identity: { clientId: given, redirectUri: client.redirectUri },
    }
  }
  const methods = metadata['token_endpoint_auth_methods_supported']
  const acceptsPublic = methods === undefined || wordsOf(methods).includes('none')
  const acceptsDocuments = metadata['client_id_metadata_document_supported'] === true
  if (acceptsDocuments && acceptsPublic && client.document !== null) {
    const identity = { clientId: client.document, redirectUri: client.documentRedirectUri ?? client.redirectUri }
    return { findings: [ok('client', `no registration: its id is ${client.document}`)], identity }
  }
  const endpoint = metadata['registration_endpoint']
  if (typeof endpoint === 'string') return registerAt(requests, client, endpoint, acceptsPublic)
  if (acceptsDocuments && acceptsPublic) {
    const text =
      'uses the URL of its metadata as id. The URL differs for each connection, so the next steps are not checked'
    return { findings: [ok('client', text)], identity: null }
  }
  const text = acceptsDocuments
    ? 'cannot register: the server accepts the URL of metadata as id, but no client without a secret'
    : 'cannot register: the metadata have neither registration_endpoint nor client_id_metadata_document_supported'
  const fix =
    'Put a login with registration in front of the provider, such as @toolwright/login. Or register an id for each client, and pass ' +
    '--client-id to check it.'
  return { findings: [fail('client', text, fix)], identity: null }
}

async function registerAt(
  requests: Requests,
  client: LoginClient,
  endpoint: string,
  acceptsPublic: boolean,
): Promise<Registration> {
  const nobody = (finding: Finding): Registration => ({ findings: [finding], identity: null })
  if (!URL.canParse(endpoint))
    return nobody(fail('client', `registration_endpoint is ${shown(endpoint)}`, 'Give an https: URL.'))
  const body = {
    client_name: `${client.title} (toolwright doctor)`,
    redirect_uris: client.redirectUris,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  }
  let answer: Answer
  try {
    const headers = { 'content-type': 'application/json', accept: 'application/json' }
    answer = await requests.send(new URL(endpoint), { method: 'POST', headers, body: JSON.stringify(body) })
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error
    return nobody(
      fail('client', `registration failed: ${error.message}`, 'Serve the endpoint, at a URL that clients reach.'),
    )
  }
  const { json, status } = answer
  const id = json?.['client_id']
  if (json === null || typeof id !== 'string' || (status !== 200 && status !== 201))
    return nobody(describeRejection(client, answer))
  return {
    findings: checkRegistration(client, json, acceptsPublic),
    identity: { clientId: id, redirectUri: client.redirectUri },
  }
}

function describeRejection({ redirectUris }: LoginClient, answer: Answer): Finding {
  const { json } = answer
  const error = json?.['error']
  const why =
    error === undefined
      ? `the answer ${describeAnswer(answer)}`
      : shown(`${shown(error)} ${shown(json?.['error_description'] ?? '')}`)
  const fix =
    error === 'invalid_redirect_uri' || /redirect/i.test(answer.text)
      ? `Accept ${redirectUris.join(' and ')}: https, private schemes such as cursor:, and http on the user's machine.`
      : 'Accept registrations of clients without a secret and a token (RFC 7591).'
  return fail('client', `registration is rejected (${answer.status}): ${why}`, fix)
}

function checkRegistration(client: LoginClient, json: Schema, acceptsPublic: boolean): readonly Finding[] {
  const findings: Finding[] = []
  const uris = wordsOf(json['redirect_uris'])
  const lost = client.redirectUris.filter((uri) => !uris.includes(uri))
  if ('redirect_uris' in json && lost.length > 0) {
    const text = `the response to the registration names ${shown(uris.join(', '))} instead of the redirect URIs of the client`
    findings.push(fail('client', text, 'Return the redirect URIs of the client.'))
  }
  const nulls = Object.keys(json).filter((name) => json[name] === null)
  if (nulls.length > 0) {
    const text = `the response has null in ${shown(nulls.join(', '))}, which clients with the official SDK reject`
    findings.push(fail('client', text, 'Leave absent members out.'))
  }
  const method = json['token_endpoint_auth_method']
  if (json['client_secret'] === undefined && !acceptsPublic) {
    const text = 'gets no secret, but the metadata accept no client without one'
    findings.push(fail('client', text, "Add 'none' to token_endpoint_auth_methods_supported."))
  } else if (json['client_secret'] === undefined && method !== undefined && method !== 'none') {
    const text = `gets no secret, but has to use ${shown(method)}`
    findings.push(fail('client', text, "Answer token_endpoint_auth_method: 'none', or send a secret."))
  }
  const expires = json['client_secret_expires_at']
  if (typeof expires === 'number' && expires > 0 && json['client_secret'] !== undefined) {
    findings.push(
      warn(
        'client',
        'the secret of the registration expires, and clients do not renew it',
        'Answer client_secret_expires_at: 0.',
      ),
    )
  }
  return findings.length > 0 ? findings : [ok('client', 'registration is accepted')]
}
