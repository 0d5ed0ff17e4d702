import type { Principal } from '@toolwright/core'
import type { FastifyInstance, FastifyRequest } from 'fastify'

export function acceptPrincipals(scope: FastifyInstance): void {
  if (!scope.hasRequestDecorator('mcpPrincipal')) scope.decorateRequest('mcpPrincipal', null)
}

export function principalOf({ mcpPrincipal }: Pick<FastifyRequest, 'mcpPrincipal'>): Principal | null {
  return mcpPrincipal
}
