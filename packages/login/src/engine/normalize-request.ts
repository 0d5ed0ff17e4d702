/** Scope that every token has in the engine, which issues none without scopes. Clients never see this scope. */
export const innerScope = 'toolwright-login'

/** Scopes of OpenID and of refresh tokens, which clients add by themselves, and which have no effect here. */
export const neutralScopes = ['openid', 'profile', 'email', 'offline_access']

/** Parameters that the engine gets. Others, such as `prompt` and `max_age`, have no effect, because every login asks the user. */
const authorizeParameters = new Set([
  'client_id',
  'code_challenge',
  'code_challenge_method',
  'login_hint',
  'redirect_uri',
  'request',
  'request_uri',
  'resource',
  'response_mode',
  'response_type',
  'state',
])

export interface Resources {
  readonly scopes: readonly string[]
  /** Returns the URL of the server that a client means; `undefined` for another server. */
  find(resource: string): string | undefined
}

/** Repairs the parameters of an authorization request. Repeated parameters stay repeated: the engine rejects them. */
export function normalizeAuthorize(given: URLSearchParams, resources: Resources): URLSearchParams {
  const result = new URLSearchParams()
  for (const [name, value] of given) {
    if (name === 'resource') appendResource(result, value, resources)
    else if (name === 'prompt' && value === 'none') result.append(name, value)
    else if (authorizeParameters.has(name)) result.append(name, value)
  }
  result.set('scope', [innerScope, ...requestedScopes(given.get('scope'), resources.scopes)].join(' '))
  return result
}

export function normalizeToken(
  given: URLSearchParams,
  authorization: string | undefined,
  resources: Resources,
): URLSearchParams {
  const result = new URLSearchParams()
  for (const [name, value] of given) {
    if (name === 'resource') appendResource(result, value, resources)
    else if (
      name !== 'scope' &&
      value !== '' &&
      !(name === 'client_secret' && isRepeatedSecret(value, authorization))
    ) {
      result.append(name, value)
    }
  }
  const scope = given.get('scope') ?? ''
  if (given.get('grant_type') === 'refresh_token' && scope !== '') {
    result.set('scope', [innerScope, ...requestedScopes(scope, resources.scopes)].join(' '))
  }
  return result
}

/** Without scopes, a client asks for all. Unknown scopes are ignored. */
export function requestedScopes(given: string | null, all: readonly string[]): readonly string[] {
  const wanted = (given ?? '').split(' ').filter((scope) => scope !== '' && !neutralScopes.includes(scope))
  return wanted.length === 0 ? all : all.filter((scope) => wanted.includes(scope))
}

function appendResource(result: URLSearchParams, value: string, resources: Resources): void {
  if (value === '') return
  const resource = resources.find(value) ?? value
  if (!result.getAll('resource').includes(resource)) result.append('resource', resource)
}

/** Some clients send the same secret in the header and in the form. */
function isRepeatedSecret(secret: string, authorization: string | undefined): boolean {
  const [, encoded] = /^basic +(\S+)$/i.exec(authorization ?? '') ?? []
  if (encoded === undefined) return false
  const text = Buffer.from(encoded, 'base64').toString()
  const sent = text.slice(text.indexOf(':') + 1)
  return sent === secret || decode(sent) === secret
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return null
  }
}
