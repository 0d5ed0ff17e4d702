import type { Principal } from '@toolwright/core'
import { checkPrincipal } from '@toolwright/core/host'
import type { FastifyInstance, FastifyRequest } from 'fastify'

export function acceptPrincipals(scope: FastifyInstance): void {
  if (!scope.hasRequestDecorator('mcpPrincipal')) scope.decorateRequest('mcpPrincipal', null)
}

/** @throws TypeError if a hook of the application has set an invalid principal. */
export function principalOf({ mcpPrincipal }: Pick<FastifyRequest, 'mcpPrincipal'>): Principal | null {
  return mcpPrincipal === null ? null : checkPrincipal(mcpPrincipal)
}
