import {
  Diagnostics,
  isObject,
  kind,
  type OptionRows,
  type OptionsOf,
  type ReadOptions,
  readNamedOptions,
  required,
  strings,
  text,
} from '@toolwright/core/options'
import type { JwtBearerOptions } from './options.js'
import { withFaults } from './preset-faults.js'
import { isSafeUrl } from './safe-url.js'

const serverUrl = () =>
  required(
    kind<string, undefined>(
      'a URL',
      "Give the public URL of the endpoint: 'https://mcp.example.com/mcp'. http: is allowed for this machine only.",
      (given) => isPlainUrl(given),
    ),
  )

const host = (example: string) =>
  required(
    kind<string, undefined>('`string`', `Give the host: '${example}'.`, (given) => {
      return typeof given === 'string' && isPlainUrl(originOf(given)) && new URL(originOf(given)).pathname === '/'
    }),
  )

const issuerUrl = (example: string) =>
  required(kind<string, undefined>('a URL', `Give the URL: '${example}'.`, (given) => isPlainUrl(given)))

const id = (example: string, pattern: RegExp) => required(text({ pattern, fix: `Give the id: '${example}'.` }))

function isPlainUrl(given: unknown): boolean {
  if (typeof given !== 'string' || !URL.canParse(given)) return false
  const url = new URL(given)
  return isSafeUrl(url) && url.href === `${url.origin}${url.pathname}`
}

function originOf(given: string): string {
  return (/^https?:\/\//i.test(given) ? given : `https://${given}`).replace(/\/$/, '')
}

const withoutSlash = (url: string): string => url.replace(/\/$/, '')

/**
 * Checks the options of a preset, and creates the options of `jwtBearer`. Mistakes are reported at boot, with the name of the preset.
 */
function preset<Rows extends OptionRows>(
  name: string,
  rows: Rows,
  given: object,
  create: (options: ReadOptions<Rows>) => JwtBearerOptions,
): JwtBearerOptions {
  const diagnostics = new Diagnostics()
  if (!isObject(given)) diagnostics.addBadOption(`${name}: its options`, given, `Give an object: ${name}({ … }).`)
  const options = readNamedOptions(rows, isObject(given) ? given : {}, { prefix: `${name}: ` }, diagnostics)
  return diagnostics.count > 0 ? withFaults(diagnostics.found) : create(options)
}

export const auth0Options = {
  /** Public URL of the endpoint, which is the identifier of the API at Auth0, too. */
  url: serverUrl(),
  /** Domain of the tenant, such as `acme.eu.auth0.com`, or its custom domain. */
  domain: host('acme.eu.auth0.com'),
}

export interface Auth0Options extends OptionsOf<typeof auth0Options> {}

/** Auth0. Its issuer ends with a slash; permissions of an API with RBAC become scopes. */
export function auth0(options: Auth0Options): JwtBearerOptions {
  return preset('auth0', auth0Options, options, ({ url, domain }) => ({
    issuer: `${originOf(domain)}/`,
    audience: url,
    scopesClaim: [['scope'], ['permissions']],
  }))
}

export const workosOptions = {
  /** Public URL of the endpoint, which is registered at WorkOS as a resource indicator. */
  url: serverUrl(),
  /** Domain of AuthKit, such as `acme.authkit.app`. */
  domain: host('acme.authkit.app'),
}

export interface WorkosOptions extends OptionsOf<typeof workosOptions> {}

/** AuthKit of WorkOS. The roles are those of the user in the organization; permissions become scopes. */
export function workos(options: WorkosOptions): JwtBearerOptions {
  return preset('workos', workosOptions, options, ({ url, domain }) => ({
    issuer: originOf(domain),
    jwks: `${originOf(domain)}/oauth2/jwks`,
    audience: url,
    rolesClaim: [['roles'], ['role']],
    scopesClaim: [['scope'], ['permissions']],
  }))
}

const descopeDocument = '/.well-known/openid-configuration'

export const descopeOptions = {
  /** Public URL of the endpoint, as the MCP server at Descope has it. */
  url: serverUrl(),
  /** Issuer of the MCP server at Descope, or its "well-known URL". */
  issuer: issuerUrl('https://api.descope.com/v1/apps/agentic/P2…/MS2…'),
}

export interface DescopeOptions extends OptionsOf<typeof descopeOptions> {}

/** Descope. `aud` is the URL of the server, or the id of the project: the issuer belongs to one MCP server. */
export function descope(options: DescopeOptions): JwtBearerOptions {
  return preset('descope', descopeOptions, options, ({ url, issuer: given }) => {
    const issuer = withoutSlash(given.endsWith(descopeDocument) ? given.slice(0, -descopeDocument.length) : given)
    const [, project] = /\/agentic\/([^/]+)\/[^/]+$/.exec(issuer) ?? []
    return { issuer, audience: project === undefined ? url : [url, project], resource: url }
  })
}

export const keycloakOptions = {
  /** Public URL of the endpoint, which an audience mapper adds to the tokens. */
  url: serverUrl(),
  /** Issuer of the realm, such as `https://login.example.com/realms/main`. */
  issuer: issuerUrl('https://login.example.com/realms/main'),
  /** Client whose roles count in addition to those of the realm. Default: none. */
  client: text({ pattern: /./s, fix: 'Give the id of the client whose roles count.' }),
}

export interface KeycloakOptions extends OptionsOf<typeof keycloakOptions> {}

/** Keycloak 26.6 or newer. Roles of the realm, and of a client, become roles. */
export function keycloak(options: KeycloakOptions): JwtBearerOptions {
  return preset('keycloak', keycloakOptions, options, ({ url, issuer, client }) => ({
    issuer: withoutSlash(issuer),
    audience: url,
    rolesClaim: [['realm_access', 'roles'], ...(client === undefined ? [] : [['resource_access', client, 'roles']])],
  }))
}

export const clerkOptions = {
  /** Public URL of the endpoint. */
  url: serverUrl(),
  /** Host of the Frontend API, such as `verb-noun-00.clerk.accounts.dev` or `clerk.example.com`. */
  domain: host('clerk.example.com'),
}

export interface ClerkOptions extends OptionsOf<typeof clerkOptions> {}

/**
 * Clerk. Its tokens have no `aud`: tokens of each OAuth client of the instance are accepted. Session tokens of the instance, which
 * have no `client_id`, are rejected.
 */
export function clerk(options: ClerkOptions): JwtBearerOptions {
  return preset('clerk', clerkOptions, options, ({ url, domain }) => ({
    issuer: originOf(domain),
    audience: false,
    clients: 'any',
    resource: url,
  }))
}

export const supabaseOptions = {
  /** Public URL of the endpoint. */
  url: serverUrl(),
  /** URL of the project, such as `https://abcdefgh.supabase.co`. */
  project: issuerUrl('https://abcdefgh.supabase.co'),
}

export interface SupabaseOptions extends OptionsOf<typeof supabaseOptions> {}

/**
 * Supabase. `aud` is `authenticated` in all its tokens: tokens of each OAuth client of the project are accepted. Session tokens of the
 * project, which have no `client_id`, are rejected.
 */
export function supabase(options: SupabaseOptions): JwtBearerOptions {
  return preset('supabase', supabaseOptions, options, ({ url, project }) => ({
    issuer: `${withoutSlash(project)}/auth/v1`,
    audience: 'authenticated',
    clients: 'any',
    resource: url,
    rolesClaim: [['app_metadata', 'roles'], ['role']],
  }))
}

export const scalekitOptions = {
  /** Public URL of the endpoint, which is the resource identifier at Scalekit. */
  url: serverUrl(),
  /** Host of the environment, such as `acme.scalekit.com`. */
  environment: host('acme.scalekit.com'),
  /** Id of the MCP server at Scalekit, such as `res_123456789012345678`. */
  resourceId: id('res_123456789012345678', /^[\w-]+$/),
}

export interface ScalekitOptions extends OptionsOf<typeof scalekitOptions> {}

/** Scalekit. Tokens name the environment as their issuer, or the resource below it. */
export function scalekit(options: ScalekitOptions): JwtBearerOptions {
  return preset('scalekit', scalekitOptions, options, ({ url, environment, resourceId }) => {
    const origin = originOf(environment)
    const ofResource = `${origin}/resources/${resourceId}`
    const jwks = `${origin}/keys`
    return {
      issuers: [
        { issuer: origin, jwks },
        { issuer: ofResource, jwks },
      ],
      authorizationServers: [ofResource],
      audience: [url, resourceId],
      resource: url,
    }
  })
}

export const stytchOptions = {
  /** Public URL of the endpoint. */
  url: serverUrl(),
  /** Domain of the project, such as `acme.customers.stytch.com`, or its custom domain. */
  domain: host('acme.customers.stytch.com'),
  /** Id of the project, which is the `aud` of its tokens: `project-live-…`. */
  projectId: id('project-live-…', /^project-[\w-]+$/),
}

export interface StytchOptions extends OptionsOf<typeof stytchOptions> {}

/**
 * Stytch. `aud` is the project in all its tokens: tokens of each connected app of the project are accepted. Session tokens, which have
 * no `client_id`, are rejected.
 */
export function stytch(options: StytchOptions): JwtBearerOptions {
  return preset('stytch', stytchOptions, options, ({ url, domain, projectId }) => ({
    issuer: originOf(domain),
    audience: [url, projectId],
    clients: 'any',
    resource: url,
  }))
}

export const cognitoOptions = {
  /** Public URL of the endpoint, which is the identifier of a resource server of the pool, too. */
  url: serverUrl(),
  /** Region of the user pool: `eu-central-1`. */
  region: id('eu-central-1', /^[a-z]{2}(?:-[a-z]+)+-\d$/),
  /** Id of the user pool: `eu-central-1_aBcDeFgHi`. */
  userPoolId: id('eu-central-1_aBcDeFgHi', /^[\w-]+$/),
  /** App clients whose tokens have no `aud`, because they send no `resource`. Default: none; each token needs the URL in `aud`. */
  clients: strings(),
}

export interface CognitoOptions extends OptionsOf<typeof cognitoOptions> {}

/** Amazon Cognito with managed login, in the tiers Essentials and Plus. Groups become roles. */
export function cognito(options: CognitoOptions): JwtBearerOptions {
  return preset('cognito', cognitoOptions, options, ({ url, region, userPoolId, clients }) => ({
    issuer: `https://cognito-idp.${region}.amazonaws.com/${userPoolId}`,
    ...(clients.length === 0 ? { audience: url } : { audience: false, clients }),
    resource: url,
    rolesClaim: 'cognito:groups',
  }))
}

const tenantId = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i

export const entraOptions = {
  /** Public URL of the endpoint. */
  url: serverUrl(),
  /** Id of the tenant. Tokens name the tenant by its id, not by its domain. */
  tenant: id('00000000-0000-0000-0000-000000000000', tenantId),
  /** Client id of the application that exposes the API. */
  clientId: id('11111111-1111-1111-1111-111111111111', tenantId),
  /** Scopes of the API by their short names, such as `mcp.read`. Clients request their full names. Default: none. */
  scopes: strings(),
  /** Application ID URI of the API. Default: `api://` and the client id. */
  applicationIdUri: text({ pattern: /^(?:api|https):\/\/./, fix: "Give the URI: 'api://…'." }),
  /** URL of a national cloud. Default: `https://login.microsoftonline.com`. */
  authority: text({ pattern: /^https?:\/\//, fix: "Give a URL: 'https://login.microsoftonline.us'." }),
}

export interface EntraOptions extends OptionsOf<typeof entraOptions> {}

/**
 * Microsoft Entra ID without a login of this server, for clients that send no `resource`, and are registered at Entra. Tokens of version
 * 1 and 2 are accepted. The subject is `oid`, because `sub` differs for each application.
 */
export function entra(options: EntraOptions): JwtBearerOptions {
  return preset('entra', entraOptions, options, (read) => {
    const { url, tenant, clientId, scopes, authority = 'https://login.microsoftonline.com' } = read
    const uri = withoutSlash(read.applicationIdUri ?? `api://${clientId}`)
    const base = withoutSlash(authority)
    const jwks = `${base}/${tenant}/discovery/v2.0/keys`
    const issuer = `${base}/${tenant}/v2.0`
    return {
      issuers: [
        { issuer, jwks },
        { issuer: `https://sts.windows.net/${tenant}/`, jwks },
      ],
      authorizationServers: [issuer],
      audience: [clientId, uri],
      resource: url,
      subjectClaim: 'oid',
      ...(scopes.length === 0 ? {} : { scopesSupported: scopes.map((scope) => `${uri}/${scope}`) }),
    }
  })
}
