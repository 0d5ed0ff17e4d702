import { type Authenticator, ForbiddenError, type McpServer, type Principal, ProtocolError } from '@toolwright/core'
import {
  type AccessRule,
  AuthorizationResolver,
  Diagnostics,
  guardedByDefault,
  isAdmitted,
  logFailure,
  type RunningServer,
  runningServer,
  ScopeGrants,
  whyRefused,
} from '@toolwright/core/internal'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { checkAuthentication } from './mount/check-mount.js'
import { Authentication } from './security/authentication.js'
import { Challenges, challengeCaller } from './security/challenge.js'
import { acceptPrincipals, principalOf } from './security/principal.js'

/** Options of a route beside the endpoint, as endpoints and features have them. */
export interface RouteGuard {
  readonly authentication?: Authenticator
  readonly roles?: readonly string[] | undefined
  readonly scopes?: readonly string[] | undefined
}

/** @param route Names the route, for messages. */
export function checkRouteGuard(
  route: string,
  { authentication, roles, scopes }: RouteGuard,
  diagnostics: Diagnostics,
): void {
  checkAuthentication(authentication, diagnostics)
  if (roles === undefined && scopes === undefined) return
  ruleOf(route, { roles, scopes }, {}, diagnostics)
  if (authentication !== undefined) return
  const given = roles === undefined ? 'scopes' : 'roles'
  diagnostics.add(
    'bad-option',
    `${route}: ${given} needs authentication, which finds the caller. Give both, or leave ${given} out.`,
  )
}

/**
 * Authenticates all requests of a scope, and refuses callers without the roles and scopes.
 *
 * @param server Counts refused callers, and knows which scopes imply others; `undefined`: there is none in the application.
 */
export function guardRoute(scope: FastifyInstance, route: string, guard: RouteGuard, server?: McpServer): void {
  const { authentication } = guard
  if (authentication === undefined) return
  const callers = server === undefined ? strangers() : runningServer(server)
  const challenges = new Challenges(authentication)
  const rule = ruleOf(route, guard, callers.scopeGrants.implied)
  acceptPrincipals(scope)
  scope.setErrorHandler(sendRefusal)
  new Authentication(authentication, challenges, () => false, callers).guard(scope)
  scope.addHook('onRequest', (request, reply, done) => {
    const principal: Principal | null = principalOf(request)
    if (isAdmitted({ rule }, principal)) return done()
    const refusal = whyRefused(rule, principal)
    if (refusal instanceof ForbiddenError) challengeCaller(reply, refusal, challenges)
    return done(refusal)
  })
}

/** Everything that a feature with this `@Authorize` would need. */
function ruleOf(
  route: string,
  { roles, scopes }: RouteGuard,
  impliedScopes: Readonly<Record<string, readonly string[]>>,
  diagnostics = new Diagnostics(),
): AccessRule {
  const authorize = { ...(roles === undefined ? {} : { roles }), ...(scopes === undefined ? {} : { scopes }) }
  // Only features that are open to everyone have none.
  return new AuthorizationResolver({ ...guardedByDefault, impliedScopes }).ofAdded(
    { authorize },
    route,
    diagnostics,
  ) as AccessRule
}

/** Of a route without a server in its application. */
function strangers(): Pick<RunningServer, 'refusedCallers' | 'scopeGrants'> {
  return { refusedCallers: { unknown: 0, refused: 0, unchecked: 0, forbidden: 0 }, scopeGrants: new ScopeGrants({}) }
}

function sendRefusal(error: unknown, { log }: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof ProtocolError && error.kind !== 'internalError') {
    return reply.code(error.status).send({ error: error.message })
  }
  logFailure(log, error, {}, 'a request failed unexpectedly')
  return reply.code(500).send({ error: 'Internal error: the cause is in the log' })
}
