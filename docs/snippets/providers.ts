import { jwtBearer } from 'toolwright'
import {
  auth0,
  clerk,
  cognito,
  descope,
  entra,
  keycloak,
  scalekit,
  stytch,
  supabase,
  workos,
} from 'toolwright/providers'

// #region auth0
const url = 'https://mcp.example.com/mcp'
export const withAuth0 = jwtBearer({
  ...auth0({ url, domain: 'acme.eu.auth0.com' }),
  rolesClaim: 'https://example.com/roles',
})
// #endregion

// #region workos
export const withWorkos = jwtBearer(workos({ url, domain: 'acme.authkit.app' }))
// #endregion

// #region descope
export const withDescope = jwtBearer(
  descope({
    url,
    issuer: 'https://api.descope.com/v1/apps/agentic/P2abc/MS2def',
  }),
)
// #endregion

// #region keycloak
export const withKeycloak = jwtBearer(
  keycloak({ url, issuer: 'https://login.example.com/realms/main' }),
)
// #endregion

// #region clerk
export const withClerk = jwtBearer(clerk({ url, domain: 'clerk.example.com' }))
// #endregion

// #region supabase
export const withSupabase = jwtBearer(
  supabase({ url, project: 'https://abcdefgh.supabase.co' }),
)
// #endregion

// #region scalekit
export const withScalekit = jwtBearer(
  scalekit({
    url,
    environment: 'acme.scalekit.com',
    resourceId: 'res_123456789012345678',
  }),
)
// #endregion

// #region stytch
export const withStytch = jwtBearer(
  stytch({
    url,
    domain: 'acme.customers.stytch.com',
    projectId: 'project-live-11111111-1111-1111-1111-111111111111',
  }),
)
// #endregion

// #region cognito
export const withCognito = jwtBearer(
  cognito({
    url,
    region: 'eu-central-1',
    userPoolId: 'eu-central-1_aBcDeFgHi',
  }),
)
// #endregion

// #region entra
const tenant = '00000000-0000-0000-0000-000000000000'
const clientId = '11111111-1111-1111-1111-111111111111'
export const withEntra = jwtBearer({
  ...entra({ url, tenant, clientId, scopes: ['mcp.read'] }),
  requiredScopes: [`api://${clientId}/mcp.read`],
})
// Clients request the full name. Tokens have the short name.
export const authorization = {
  impliedScopes: { 'mcp.read': [`api://${clientId}/mcp.read`] },
}
// #endregion
