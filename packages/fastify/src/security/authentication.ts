import type { IncomingMessage } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import {
  AuthenticationError,
  type Authenticator,
  ForbiddenError,
  type Principal,
  ProtocolError,
} from '@toolwright/core'
import { checkPrincipal, isPromiseLike, tryLog } from '@toolwright/core/host'
import { type RunningServer } from '@toolwright/core/transport'
import type { FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import { type Challenges, challengeCaller } from './challenge.js'
import { isRepeated } from './host-and-origin.js'

/** Authenticates requests before their body is read or any state is created. */
export class Authentication {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly challenges: Challenges,
    /** Whether callers without credentials are allowed. The parameter is a function, because the catalog can change. */
    private readonly allowsAnonymous: () => boolean,
    private readonly server: Pick<RunningServer, 'rejectedCallers' | 'scopeGrants'>,
  ) {}

  guard(scope: FastifyInstance): void {
    // Returns a promise only if the authenticator does: with a cached token, the request does not wait for a turn of
    // the event loop.
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
      return this.#reject(error, request, reply)
    }
  }

  async #waitFor(found: PromiseLike<Principal | null>, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    try {
      this.#accept(await found, request)
    } catch (error) {
      this.#reject(error, request, reply)
    }
  }

  #accept(principal: Principal | null, request: FastifyRequest): void {
    if (principal === null && !this.allowsAnonymous()) {
      throw missingCredentials(this.authenticator, request)
    }
    request.mcpPrincipal = checkPrincipal(principal)
  }

  #reject(error: unknown, { log }: FastifyRequest, reply: FastifyReply): never {
    if (error instanceof AuthenticationError) {
      this.#count(error)
      logRejection(error, log)
      challengeCaller(reply, { unauthorized: error }, this.challenges)
    } else if (error instanceof ForbiddenError) {
      this.server.rejectedCallers.forbidden++
      tryLog(() =>
        log.info({ missingScopes: error.missingScopes }, 'request rejected: the caller may not use this server'),
      )
      challengeCaller(reply, error, this.challenges)
    } else {
      this.server.rejectedCallers.unchecked++
      logFailed(error, log)
    }
    throw error
  }

  #count({ failure, cause }: AuthenticationError): void {
    if (cause instanceof Error) this.server.rejectedCallers.unchecked++
    else if (failure === null) this.server.rejectedCallers.unknown++
    else this.server.rejectedCallers.rejected++
  }
}

/** Creates the error of a caller without credentials. Names the ignored scheme in the log, but no other part of the header. */
function missingCredentials({ metadata, scheme }: Authenticator, { headers }: FastifyRequest): AuthenticationError {
  const ignored = headers.authorization === undefined ? undefined : knownScheme.exec(headers.authorization)?.[0]
  const reason = ignored === undefined ? {} : { reason: `the scheme ${ignored} in Authorization is not accepted` }
  const header = scheme?.name === 'ApiKey' && metadata === undefined ? scheme.parameters?.['header'] : undefined
  // Without metadata, official clients search for a login in vain, and show this message.
  const message = header === undefined ? 'missing credentials, see the WWW-Authenticate header' : keyMessage(header)
  return new AuthenticationError(null, `Unauthorized: ${message}`, reason)
}

const keyMessage = (header: string): string => `this server has no login. Send an API key in the header ${header}`

/** Schemes that are certainly not a part of a secret. */
const knownScheme = /^(?:basic|bearer|digest|dpop|negotiate|token|apikey|api-key|key|jwt)(?= )/i

function logRejection({ failure, reason, cause }: AuthenticationError, log: FastifyRequest['log']): void {
  // Logs a warning, because the check itself failed, such as a request to the issuer. The credentials may be valid.
  if (cause instanceof Error) tryLog(() => log.warn({ reason }, 'request rejected: credentials could not be checked'))
  // Requests without credentials are not logged: clients send a first request without credentials to find out how to
  // authenticate.
  else if (failure !== null || reason !== undefined)
    tryLog(() => log.info({ reason }, 'request rejected: invalid credentials'))
}

/** Logs the cause of a protocol error. Other errors are logged where they are answered. */
function logFailed(error: unknown, log: FastifyRequest['log']): void {
  if (!(error instanceof ProtocolError && error.cause instanceof Error)) return
  tryLog(() => log.warn({ reason: String(error.cause) }, 'request rejected: credentials could not be checked'))
}

/** Returns an object that all requests of a connection share. On HTTP/2, each request has its own `socket`. */
function connectionOf({ socket, stream }: IncomingMessage & Partial<Pick<Http2ServerRequest, 'stream'>>): object {
  return stream?.session ?? socket
}

function checkSingle(rawHeaders: readonly string[]): void {
  if (!isRepeated('authorization', rawHeaders)) return
  throw new AuthenticationError('invalid_request', 'Unauthorized: there is more than one Authorization header', {
    reason: 'several Authorization headers',
  })
}
