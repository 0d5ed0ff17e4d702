import { AuthenticationError, type Authenticator, ForbiddenError, LimitError, type Principal } from 'toolwright'

export interface Request {
  readonly method?: string
  readonly url?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly connection?: object
}

/** Returns the subject that an authenticator finds for a request, `null`, or the reason for rejecting it. */
export async function authenticate(authenticator: Authenticator, request: Request): Promise<string | null> {
  try {
    const principal = await principalOf(authenticator, request)
    return principal === null ? null : principal.subject
  } catch (error) {
    if (error instanceof AuthenticationError) return `rejected: ${error.reason}`
    if (error instanceof ForbiddenError) return `forbidden without ${error.missingScopes.join(', ')}`
    throw error
  }
}

/** Like {@link authenticate}, and returns the reason why the credentials could not be checked. */
export async function outcomeOf(authenticator: Authenticator, request: Request): Promise<string | null> {
  return authenticate(authenticator, request).catch((error: unknown) => {
    if (error instanceof LimitError) return `unavailable: ${(error.cause as Error).message}`
    throw error
  })
}

export async function principalOf(authenticator: Authenticator, request: Request): Promise<Principal | null> {
  return authenticator.authenticate({ method: 'POST', url: '/mcp', headers: {}, ...request })
}

export function withToken(token: string): Request {
  return { headers: { authorization: `Bearer ${token}` } }
}
