import { Provider } from 'oidc-provider'

/** @param issuer URL of the provider. @param resource URL of the server. */
export function createProvider(issuer: string, resource: string): Provider {
  // #region provider
  const provider = new Provider(issuer, {
    scopes: ['openid', 'offline_access', 'users:read', 'users:write'],
    features: {
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({
          scope: 'users:read users:write',
          audience: resource,
          accessTokenFormat: 'jwt',
        }),
      },
    },
  })
  // #endregion
  return provider
}
