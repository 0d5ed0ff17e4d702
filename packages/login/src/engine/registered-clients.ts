import type { Secrets } from '../secrets.js'
import type { RedirectRule } from './redirect-uris.js'

interface RegisteredClient {
  readonly redirect_uris: readonly string[]
  readonly client_name?: string
  readonly token_endpoint_auth_method: string
}

/** Metadata in the format of the engine. */
export type ClientMetadata = Readonly<Record<string, unknown>>

const prefix = 'tw1.'
const maxUris = 20
const maxNameLength = 100

/** Longest client id, because clients send it in URLs. */
const maxIdLength = 4000

const methods = new Set(['none', 'client_secret_basic', 'client_secret_post'])

export class InvalidRegistration extends Error {
  constructor(
    readonly error: 'invalid_redirect_uri' | 'invalid_client_metadata',
    message: string,
  ) {
    super(message)
  }
}

/**
 * Clients that registered themselves. The id of a client contains its metadata, signed: registrations need no storage, and remain
 * valid after a restart, on other nodes, and for clients that register and never log in.
 */
export class RegisteredClients {
  constructor(
    private readonly secrets: Secrets,
    private readonly rule: RedirectRule,
  ) {}

  /** Returns the response to a registration. @throws InvalidRegistration */
  register(body: Readonly<Record<string, unknown>>): ClientMetadata {
    const client = this.#read(body)
    const payload = Buffer.from(JSON.stringify(client)).toString('base64url')
    const id = `${prefix}${payload}.${this.secrets.sign('clients', payload)}`
    if (id.length > maxIdLength) {
      throw new InvalidRegistration('invalid_client_metadata', 'the redirect URIs and the name are too long')
    }
    return { ...this.find(id), client_id_issued_at: Math.floor(Date.now() / 1000) }
  }

  find(id: string): ClientMetadata | undefined {
    if (!id.startsWith(prefix) || id.length > maxIdLength) return undefined
    const [payload = '', signature = ''] = id.slice(prefix.length).split('.')
    const secret = this.secrets.deriveAs({ purpose: 'clients', value: payload, signature })
    if (secret === null) return undefined
    const client = JSON.parse(Buffer.from(payload, 'base64url').toString()) as RegisteredClient
    const isPublic = client.token_endpoint_auth_method === 'none'
    return {
      client_id: id,
      ...client,
      ...fixedMetadata,
      ...(isPublic ? {} : { client_secret: secret, client_secret_expires_at: 0 }),
    }
  }

  #read(body: Readonly<Record<string, unknown>>): RegisteredClient {
    const { redirect_uris: uris, client_name: name, token_endpoint_auth_method: method = 'client_secret_basic' } = body
    if (!Array.isArray(uris) || uris.length === 0 || uris.length > maxUris) {
      throw new InvalidRegistration('invalid_redirect_uri', `redirect_uris needs 1 to ${maxUris} URIs`)
    }
    const redirects = (uris as unknown[]).map((uri) => {
      const fault = typeof uri === 'string' ? this.rule(uri) : 'is not a string'
      if (fault !== null) throw new InvalidRegistration('invalid_redirect_uri', `a redirect URI ${fault}`)
      return uri as string
    })
    if (typeof method !== 'string' || !methods.has(method)) {
      const all = [...methods].join(', ')
      throw new InvalidRegistration('invalid_client_metadata', `token_endpoint_auth_method has to be one of ${all}`)
    }
    const shown = typeof name === 'string' ? name.slice(0, maxNameLength).toWellFormed().trim() : ''
    return {
      redirect_uris: redirects,
      ...(shown === '' ? {} : { client_name: shown }),
      token_endpoint_auth_method: method,
    }
  }
}

/**
 * Metadata that is the same for all clients. `native` ignores the port of loopback redirect URIs, and accepts `https` and private
 * schemes as well. Every client gets refresh tokens: clients that do not ask for them use them, too.
 */
export const fixedMetadata = {
  application_type: 'native',
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
} as const
