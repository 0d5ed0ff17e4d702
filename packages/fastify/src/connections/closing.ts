import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { logFailure, runFenced, startLongTimer, tryLog, withTimeout } from '@toolwright/core/host'
import { type RunningServer } from '@toolwright/core/transport'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { retryAfterSeconds } from '../endpoint/reply.js'
import { whenClosed } from '../streams/when-closed.js'
import { type OpenConnections, openConnections } from './open-connections.js'
import { otherServers } from './other-servers.js'

interface DrainOptions {
  readonly drainTimeoutMs: number
  /** Called before connections are cut, if calls still run after `drainTimeoutMs`. */
  readonly onDrainTimeout: () => void
}

const sweepMs = 50

/**
 * Milliseconds after the last answer during which new requests get a 503 instead of a connection reset. Clients often
 * call again at once, and a proxy cannot safely repeat a request after a reset.
 */
const lingerMs = 100

/** Milliseconds between the end of the drain and Fastify's hook timeout. If the hook timed out, closing would fail. */
const hookMarginMs = 500

/**
 * Endpoints by HTTP server. All endpoints of a server begin to close at the same time. Connections are cut as soon as
 * no endpoint needs them.
 */
const endpoints = new WeakMap<object, Set<Closing>>()

/**
 * Graceful shutdown of an endpoint when its application closes. Fastify rejects new requests with 503 and `Connection:
 * close`. Calls in flight finish, streams end, and idle connections close. At the deadline, the remaining connections
 * are cut.
 */
export class Closing {
  hasStarted = false
  #draining: Promise<void> | null = null
  #isCut = false
  #isOver = false
  readonly #drainTimeoutMs: number
  /** End of the drain timeout, as a value of `performance.now()`. */
  #deadline = Infinity
  readonly #siblings: Set<Closing>
  readonly #endings = new Set<() => void>()
  readonly #inputEnded: () => void
  readonly #connections: OpenConnections

  constructor(
    private readonly scope: FastifyInstance,
    private readonly server: RunningServer,
    private readonly options: DrainOptions,
  ) {
    this.#drainTimeoutMs = withinHook(scope, options.drainTimeoutMs)
    this.#connections = openConnections(scope.server)
    this.#inputEnded = server.sessions?.registerEndpoint() ?? (() => undefined)
    this.#siblings = endpoints.get(scope.server) ?? new Set()
    endpoints.set(scope.server, this.#siblings.add(this))
    scope.addHook('onListen', async () => otherServers(scope).forEach((other) => this.#connections.watch(other)))
    // Fastify stops listening after this hook. Until then, new requests get a 503, and their clients can try another
    // server.
    scope.addHook('preClose', () => {
      // Fastify runs the hooks of several endpoints one after the other, so the first hook starts the shutdown of all
      // endpoints.
      for (const sibling of this.#siblings) void sibling.#begin()
      return this.#begin()
    })
  }

  endWith(reply: FastifyReply, end: () => void): void {
    whenClosed(reply, this.whenBegun(end))
  }

  whenBegun(end: () => void): () => void {
    if (this.hasStarted) end()
    this.#endings.add(end)
    return () => this.#endings.delete(end)
  }

  async untilDeadline(promise: Promise<void>): Promise<void> {
    const leftMs = Math.max(0, this.#deadline - performance.now())
    await withTimeout(promise, leftMs).catch(() => undefined)
  }

  #begin(): Promise<void> {
    this.#draining ??= this.#drain()
    return this.#draining
  }

  async #drain(): Promise<void> {
    const servers = [...this.#connections.servers]
    this.hasStarted = true
    // Fastify rejects new requests before any hook runs, so a listener sets `Retry-After`.
    for (const server of servers) server.prependListener('request', addRetryAfter)
    for (const end of this.#endings) end()
    this.#inputEnded()
    const deadline = startLongTimer(() => this.#cutConnections(), this.#drainTimeoutMs)
    // Idle connections stay open until the calls have ended, so that new requests get a 503 instead of a reset.
    this.#deadline = performance.now() + this.#drainTimeoutMs
    await this.#answerCalls()
    this.#end()
    const sweep = setInterval(() => this.#connections.closeIdle(), sweepMs)
    const stop = (): void => {
      clearInterval(sweep)
      clearTimeout(deadline)
    }
    let open = servers.length
    const onClose = (): void => {
      open--
      if (open === 0) stop()
    }
    for (const server of servers) server.once('close', onClose)
    // An application that never listened emits no `close` event, so the timers are stopped here.
    if (!this.scope.server.listening) stop()
  }

  async #answerCalls(): Promise<void> {
    const { inFlight } = this.server
    if (inFlight.running === 0) return
    await inFlight.idle()
    if (this.scope.server.listening && performance.now() + 2 * lingerMs < this.#deadline) await sleep(lingerMs)
  }

  #cutConnections(): void {
    const { inFlight } = this.server
    tryLog(() =>
      this.scope.log.error({ inFlight: inFlight.running }, 'closing took too long: cutting the remaining connections'),
    )
    this.#reportDrainTimeout()
    inFlight.abandon()
    this.#isCut = true
    this.#end()
  }

  #end(): void {
    this.#isOver = true
    const siblings = [...this.#siblings]
    const isCut = siblings.some((sibling) => sibling.#isCut) && siblings.every((sibling) => sibling.#isOver)
    if (isCut) this.#connections.closeAll()
  }

  #reportDrainTimeout(): void {
    const { log } = this.scope
    runFenced(this.options.onDrainTimeout, (error) => logFailure(log, error, {}, 'onDrainTimeout failed'))
  }
}

/**
 * Limits the drain timeout to Fastify's `pluginTimeout`, which applies to each hook. A `pluginTimeout` of 0 is no
 * limit.
 */
function withinHook({ initialConfig, log }: FastifyInstance, drainTimeoutMs: number): number {
  const { pluginTimeout = 0 } = initialConfig
  const most = pluginTimeout - hookMarginMs
  if (pluginTimeout === 0 || drainTimeoutMs <= most) return drainTimeoutMs
  if (drainTimeoutMs > pluginTimeout) {
    tryLog(() =>
      log.warn(
        { drainTimeoutMs, pluginTimeout },
        `calls get at most ${most} ms to finish at shutdown: Fastify's pluginTimeout does not allow more`,
      ),
    )
  }
  return Math.max(0, most)
}

function addRetryAfter(_request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('retry-after', retryAfterSeconds)
}
