import type { IncomingMessage } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import {
  AuthenticationError,
  type Authenticator,
  ForbiddenError,
  type Principal,
  ProtocolError,
} from '@toolwright/core'
import { checkPrincipal, isPromiseLike, type RunningServer } from '@toolwright/core/transport'
import type { FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import { type Challenges, challengeCaller } from './challenge.js'
import { isRepeated } from './host-and-origin.js'

/** Who calls, found out before a body is read or anything is made. */
export class Authentication {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly challenges: Challenges,
    /** Whether callers without credentials get past. Asked each time: what is served can change. */
    private readonly allowsAnonymous: () => boolean,
    private readonly server: Pick<RunningServer, 'refusedCallers' | 'scopeGrants'>,
  ) {}

  /** Has every request of the scope authenticated. */
  guard(scope: FastifyInstance): void {
    // A promise only where there is something to wait for: a token that is known costs no turn of the event loop.
    scope.addHook('onRequest', ((request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => {
      const found = this.#authenticate(request, reply)
      if (found !== undefined) return found
      done()
      return undefined
    }) as (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => void)
  }

  #authenticate(request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined {
    const { method, originalUrl: url, headers, raw } = request
    try {
      checkSingle(raw.rawHeaders)
      const connection = connectionOf(raw)
      const { include: includesScope } = this.server.scopeGrants
      const found = this.authenticator.authenticate({ method, url, headers, connection, includesScope })
      if (isPromiseLike(found)) return this.#waitFor(found, request, reply)
      this.#accept(found, request)
      return undefined
    } catch (error) {
      return this.#refuse(error, request, reply)
    }
  }

  async #waitFor(found: PromiseLike<Principal | null>, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    try {
      this.#accept(await found, request)
    } catch (error) {
      this.#refuse(error, request, reply)
    }
  }

  #accept(principal: Principal | null, request: FastifyRequest): void {
    if (principal === null && !this.allowsAnonymous()) {
      throw new AuthenticationError(null, 'Unauthorized: send credentials, as the WWW-Authenticate header says')
    }
    request.mcpPrincipal = checkPrincipal(principal)
  }

  #refuse(error: unknown, { log }: FastifyRequest, reply: FastifyReply): never {
    if (error instanceof AuthenticationError) {
      this.#count(error)
      logRefusal(error, log)
      challengeCaller(reply, { unauthorized: error }, this.challenges)
    } else if (error instanceof ForbiddenError) {
      this.server.refusedCallers.forbidden++
      log.info({ missingScopes: error.missingScopes }, 'request refused: its caller may not use this server')
      challengeCaller(reply, error, this.challenges)
    } else {
      this.server.refusedCallers.unchecked++
      logFailed(error, log)
    }
    throw error
  }

  #count({ failure, cause }: AuthenticationError): void {
    if (cause instanceof Error) this.server.refusedCallers.unchecked++
    else if (failure === null) this.server.refusedCallers.unknown++
    else this.server.refusedCallers.refused++
  }
}

function logRefusal({ failure, reason, cause }: AuthenticationError, log: FastifyRequest['log']): void {
  // Something failed that others have to mend: they may be good.
  if (cause instanceof Error) log.warn({ reason }, 'request refused: its credentials cannot be checked')
  // A first request without credentials is how clients learn where to get some.
  else if (failure !== null) log.info({ reason }, 'request refused: its credentials are not good')
}

/** What is no error of the protocol's is logged where it is answered. */
function logFailed(error: unknown, log: FastifyRequest['log']): void {
  if (!(error instanceof ProtocolError && error.cause instanceof Error)) return
  log.warn({ reason: String(error.cause) }, 'request refused: its credentials cannot be checked')
}

/** The `socket` of a request of HTTP/2 is its own: what it shares with others is the session. */
function connectionOf({ socket, stream }: IncomingMessage & Partial<Pick<Http2ServerRequest, 'stream'>>): object {
  return stream?.session ?? socket
}

/** @throws AuthenticationError for two `Authorization` headers. */
function checkSingle(rawHeaders: readonly string[]): void {
  if (!isRepeated('authorization', rawHeaders)) return
  throw new AuthenticationError('invalid_request', 'Unauthorized: there is more than one Authorization header', {
    reason: 'several Authorization headers',
  })
}
