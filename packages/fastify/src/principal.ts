import type { Principal } from '@toolwright/core'
import type { FastifyInstance, FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** The authenticated caller of an MCP endpoint. A hook of the application that authenticates sets it. */
    mcpPrincipal: Principal | null
  }
}

export function acceptPrincipals(scope: FastifyInstance): void {
  if (!scope.hasRequestDecorator('mcpPrincipal')) scope.decorateRequest('mcpPrincipal', null)
}

export function principalOf({ mcpPrincipal }: Pick<FastifyRequest, 'mcpPrincipal'>): Principal | null {
  return mcpPrincipal
}
