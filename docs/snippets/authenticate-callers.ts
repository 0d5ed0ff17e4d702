import {
  AuthenticationError,
  type Authenticator,
  apiKeys,
  authenticateWith,
  createHost,
  introspection,
  jwtBearer,
} from 'toolwright'
import { ForecastTools } from './validate-arguments.js'

export async function createProtected() {
  return createHost({
    name: 'weather',
    version: '1.0.0',
    controllers: [ForecastTools],
    authentication: jwtBearer({
      issuer: 'https://login.example.com/realms/main',
      audience: 'https://mcp.example.com/mcp',
    }),
  })
}

export function createIntrospection() {
  // #region introspection
  const authentication = introspection({
    issuer: 'https://login.example.com',
    clientId: 'mcp-server',
    clientSecret: process.env['INTROSPECTION_SECRET'] ?? '',
    audience: 'https://mcp.example.com/mcp',
  })
  // #endregion
  return authentication
}

export function createKeys() {
  const authentication = apiKeys({
    keys: [
      {
        key: process.env['BUILD_KEY'] ?? '',
        subject: 'build',
        scopes: ['tools:read'],
      },
      // Only the digest is stored here. The owner has the key itself.
      {
        sha256:
          '57d6126c3ca4c315c56c2c1b44523e54e56aef8ebb673cfc6885bd852a8c1d82',
        subject: 'nightly',
      },
    ],
  })
  return authentication
}

interface Accounts {
  find(
    ticket: string,
  ): Promise<{ readonly id: string; readonly groups: readonly string[] } | null>
}

export function createOwn(accounts: Accounts) {
  // #region function
  const authentication = authenticateWith(async ({ headers }) => {
    const ticket = headers['x-ticket']
    if (typeof ticket !== 'string') return null
    const account = await accounts.find(ticket)
    if (account === null)
      throw new AuthenticationError(
        'invalid_token',
        'Unauthorized: the ticket is not valid',
      )
    return { subject: account.id, roles: account.groups }
  })
  // #endregion
  return authentication
}

interface Customers {
  planOf(subject: string): Promise<string>
}

export function createWithPlans(customers: Customers) {
  // #region roles
  const tokens = jwtBearer({
    issuer: 'https://login.example.com',
    audience: 'https://mcp.example.com/mcp',
  })

  const authentication: Authenticator = {
    ...tokens,
    async authenticate(request) {
      const principal = await tokens.authenticate(request)
      if (principal === null) return null
      const plan = await customers.planOf(principal.subject)
      return { ...principal, roles: [...principal.roles, `plan:${plan}`] }
    },
  }
  // #endregion
  return authentication
}
