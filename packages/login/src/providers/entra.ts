import type { Claims, LoginProvider } from '../upstream/login-provider.js'
import { type ProviderOptions, registrationOf } from './oidc.js'

export interface EntraOptions extends ProviderOptions {
  /** Id of the tenant. With `organizations` or `common`, give `tenants` as well. */
  readonly tenant: string
  /** Ids of the tenants whose users may log in, for `organizations` and `common`. */
  readonly tenants?: readonly string[]
  /** URL of a national cloud. Default: `https://login.microsoftonline.com`. */
  readonly authority?: string
}

const sharedTenants = ['common', 'organizations', 'consumers']

function faultsOf(tenant: string | undefined, tenants: readonly string[]): readonly string[] {
  if (typeof tenant !== 'string' || tenant === '') return ['tenant is missing. Give the id of the tenant.']
  // Otherwise, every user of Microsoft could log in.
  if (!sharedTenants.includes(tenant) || tenants.length > 0) return []
  return [`tenant is '${tenant}', and tenants is empty. Give the ids of the tenants whose users may log in.`]
}

/**
 * Microsoft Entra ID. Never sends `resource`, which Entra rejects next to scopes, and sends the scopes with the code. The subject is
 * `oid`, because `sub` differs for each application.
 */
export function entra(options: EntraOptions): LoginProvider {
  const { tenant, tenants = [], authority = 'https://login.microsoftonline.com', parameters } = options
  const { scopes = ['openid', 'profile', 'email', 'offline_access'] } = options
  const base = `${authority}/${tenant}`
  const accepts = (id: string): boolean => (sharedTenants.includes(tenant) ? tenants.includes(id) : true)
  return {
    ...registrationOf({ ...options, parameters: { prompt: 'select_account', ...parameters } }),
    preset: 'entra',
    faults: faultsOf(tenant, tenants),
    name: 'Microsoft',
    server: {
      issuer: `${base}/v2.0`,
      authorization_endpoint: `${base}/oauth2/v2.0/authorize`,
      token_endpoint: `${base}/oauth2/v2.0/token`,
    },
    scopes,
    clientAuthentication: 'post',
    sendsScopesWithCode: true,
    subjectClaim: 'oid',
    issuerOf: ({ tid }: Claims) => {
      if (typeof tid !== 'string' || !/^[\w.-]+$/.test(tid) || !accepts(tid)) return null
      // A tenant can also be named by its domain: the ID token always has the id.
      const isId = /^[\da-f]{8}-[\da-f-]{27}$/i.test(tenant)
      return isId && tid !== tenant ? null : `${authority}/${tid}/v2.0`
    },
    describeGaps: ({ _claim_names: names }: Claims) =>
      typeof names === 'object' && names !== null && 'groups' in names
        ? 'Entra left out the groups, because the user is in more than 200. Use app roles, or assign groups to the application'
        : null,
  }
}
