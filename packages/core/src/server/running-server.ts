import type { Logger } from 'pino'
import { ScopeGrants } from '../authorization/scopes.js'
import { type Catalog, rulesOf } from '../catalog/catalog.js'
import { LimitError } from '../errors/limit-error.js'
import { logFailure } from '../errors/log-failure.js'
import { type Counter, OversizedMessages } from '../limits/counter.js'
import { InFlight } from '../limits/in-flight.js'
import type { Limits } from '../limits/limits.js'
import type { QuotaKeys } from '../limits/quota-keys.js'
import { SubscriptionQuota } from '../limits/subscription-quota.js'
import { Gauges } from '../metrics/gauges.js'
import { errorAnswer, failExchange } from '../protocol/answer.js'
import { receiveBatch } from '../protocol/batch.js'
import type { ServerIdentity } from '../protocol/dependencies.js'
import type { Exchange } from '../protocol/exchange.js'
import type { Extension } from '../protocol/extensions/extension.js'
import type { Sessions } from '../protocol/legacy/session.js'
import { type Eras, receiveMessage } from '../protocol/receive.js'
import type { OfferedRevisions } from '../protocol/revisions.js'
import { countRequests, idForError, readMessage } from '../rpc/messages.js'
import type { AssembledParts } from './assemble-parts.js'
import { publishMetrics, type RejectedCallers } from './metrics.js'

/** The engine of a server, which serves the messages of transports. */
export class RunningServer {
  readonly catalog: Catalog
  readonly offered: OfferedRevisions
  readonly limits: Limits
  readonly log: Logger
  readonly gauges = new Gauges()
  readonly identity: ServerIdentity
  readonly inFlight: InFlight
  readonly subscriptionQuota: SubscriptionQuota
  /** Legacy HTTP sessions; `null`: the server has none. */
  readonly sessions: Sessions | null
  /** Streams and connections that transports closed because their clients did not read. */
  readonly cutStreams: Counter
  /** Bytes of unread responses beyond the bytes that each connection can hold. */
  readonly sharedUnread: Counter = { count: 0 }
  readonly oversizedMessages: OversizedMessages
  /** Implied scopes, for authenticators that require scopes. */
  readonly scopeGrants: ScopeGrants
  readonly extensions: readonly Extension[]
  /** Whether features look missing to callers who are not allowed to use them. */
  readonly hidesForbidden: boolean
  readonly rejectedCallers: RejectedCallers
  readonly #eras: Eras
  readonly #quotaKeys: QuotaKeys
  readonly #startsCall: readonly ((message: unknown) => boolean)[]

  constructor({ parts: { options, catalog }, dependencies, eras, counted }: AssembledParts) {
    this.catalog = catalog
    this.offered = options.revisions
    this.limits = options.limits
    this.log = options.log
    this.identity = options.identity
    this.inFlight = counted.inFlight
    this.subscriptionQuota = counted.subscriptionQuota
    this.sessions = dependencies.sessions
    this.cutStreams = counted.cutStreams
    this.oversizedMessages = counted.oversizedMessages
    this.scopeGrants = new ScopeGrants(options.authorization?.impliedScopes ?? {})
    this.extensions = options.extensions
    this.hidesForbidden = options.hidesForbidden
    this.rejectedCallers = counted.rejectedCallers
    this.#eras = eras
    this.#quotaKeys = options.quotaKeys
    this.#startsCall = options.extensions.flatMap(({ startsCall }) => startsCall ?? [])
    publishMetrics(this.gauges, counted)
  }

  get allowsAnonymous(): boolean {
    const { isInUse, default: access } = rulesOf(this.catalog).options
    if (!isInUse) return false
    // Completions are left out: without access to the prompt or template, a caller cannot use its completion.
    return (
      access === 'anonymous' ||
      this.catalog.registries.some(({ kind, registry }) => kind !== 'completion' && registry.isOpen)
    )
  }

  /** Whether a message other than a request starts a call, because of an extension. An error of an extension is logged. */
  startsCall(message: unknown): boolean {
    try {
      return this.#startsCall.some((starts) => starts(message))
    } catch (error) {
      logFailure(this.log, error, {}, 'an extension could not tell whether a message starts a call')
      return false
    }
  }

  /**
   * Serves one message, modern or legacy, or a batch. The exchange receives the answer, synchronously if possible. Requests count
   * as in flight until they are answered, and are rejected while too many are in flight. Never throws.
   */
  receive(exchange: Exchange): void {
    const { message } = exchange
    try {
      if (Array.isArray(message)) {
        const requests = countRequests(message)
        if (requests > 0) exchange.admission = this.inFlight.admit(requests)
        void receiveBatch(message, exchange, this.#eras)
      } else {
        const read = readMessage(message)
        // Responses and notifications are always accepted: requests in flight can be waiting for them.
        if (read.kind === 'request') exchange.admission = this.inFlight.admit(1)
        receiveMessage(read, exchange, this.#eras)
      }
    } catch (error) {
      if (error instanceof LimitError) exchange.respond(errorAnswer(idForError(message), error, this.#eras.modern))
      else failExchange(error, exchange)
    }
  }

  limitAnonymousCallers(): void {
    this.#quotaKeys.limitAnonymousCallers()
  }
}
