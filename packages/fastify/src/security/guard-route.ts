import { type Authenticator, ForbiddenError, type McpServer, ProtocolError } from '@toolwright/core'
import { compileRouteRule, isForeignHost, logFailure, type RouteAccess, ScopeGrants } from '@toolwright/core/host'
import { Diagnostics } from '@toolwright/core/options'
import { type RunningServer, runningServer } from '@toolwright/core/transport'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { adviseRetry } from '../endpoint/reply.js'
import { checkAuthentication } from '../mount/mount-options.js'
import { Authentication } from './authentication.js'
import { Challenges, challengeCaller } from './challenge.js'
import { acceptPrincipals, principalOf } from './principal.js'

export interface RouteGuard extends RouteAccess {
  readonly authentication?: Authenticator
}

export function checkRouteGuard(
  route: string,
  { authentication, roles, scopes }: RouteGuard,
  diagnostics: Diagnostics,
): void {
  if (authentication !== undefined) checkAuthentication(authentication, 'authentication', diagnostics)
  if (roles === undefined && scopes === undefined) return
  compileRouteRule(route, { roles, scopes }, {}, diagnostics)
  if (authentication !== undefined) return
  const given = roles === undefined ? 'scopes' : 'roles'
  diagnostics.add('bad-option', `${route}: ${given} requires authentication. Give both, or leave ${given} out.`)
}

/**
 * Authenticates all requests of a scope, and rejects callers without the roles and scopes.
 *
 * @param server Counts rejected callers and defines implied scopes; `undefined` if the application has no server.
 */
export function guardRoute(scope: FastifyInstance, route: string, guard: RouteGuard, server?: McpServer): void {
  const { authentication } = guard
  if (authentication === undefined) return
  const callers = server === undefined ? countersWithoutServer() : runningServer(server)
  const challenges = new Challenges(authentication)
  const diagnostics = new Diagnostics()
  const rule = compileRouteRule(route, guard, callers.scopeGrants.implied, diagnostics)
  diagnostics.throwIfAny()
  acceptPrincipals(scope)
  scope.setErrorHandler(sendRejection)
  new Authentication(authentication, challenges, () => false, callers).guard(scope)
  scope.addHook('onRequest', (request, reply, done) => {
    const rejection = rule(principalOf(request))
    if (rejection === null) return done()
    if (rejection instanceof ForbiddenError) challengeCaller(reply, rejection, challenges)
    return done(rejection)
  })
}

/**
 * Rejects a request if the endpoint would also reject its `Host`: a web page can point its own name at this machine.
 */
export function rejectForeignHost({ server, host }: FastifyRequest, reply: FastifyReply, done: () => void): void {
  if (isForeignHost(server, host)) void reply.code(403).send({ error: 'Forbidden: the host is not allowed' })
  else done()
}

function countersWithoutServer(): Pick<RunningServer, 'rejectedCallers' | 'scopeGrants'> {
  return { rejectedCallers: { unknown: 0, rejected: 0, unchecked: 0, forbidden: 0 }, scopeGrants: new ScopeGrants({}) }
}

function sendRejection(error: unknown, { log }: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof ProtocolError && error.kind !== 'internalError') {
    adviseRetry(reply, error)
    return reply.code(error.status).send({ error: error.message })
  }
  logFailure(log, error, {}, 'a request failed unexpectedly')
  return reply.code(500).send({ error: 'Internal error: the cause is in the log' })
}
