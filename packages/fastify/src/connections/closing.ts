import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { logFailure, type RunningServer, startLongTimer } from '@toolwright/core/transport'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { retryAfterSeconds } from '../endpoint/reply.js'
import { whenClosed } from '../streams/when-closed.js'
import { type OpenConnections, openConnections } from './open-connections.js'
import { otherServers } from './other-servers.js'

interface DrainOptions {
  /** Milliseconds that calls in flight get to finish. */
  readonly drainTimeoutMs: number
  /** Called when that was not enough, before what is left is cut. */
  readonly onDrainTimeout: () => void
}

/** Milliseconds from one look for idle connections to the next. */
const sweepMs = 50

/**
 * Milliseconds after the last answer in which requests are still refused, and connections not reset: who had that answer
 * often calls again at once, and a proxy cannot tell whether a request was begun whose connection was reset.
 */
const lingerMs = 100

/** Milliseconds by which calls have ended before Fastify gives up the hook that waits for them, and closing fails. */
const hookMarginMs = 500

/** Endpoints by their HTTP server: they begin to end together, and its connections are cut for one when no other needs them. */
const endpoints = new WeakMap<object, Set<Closing>>()

/**
 * How an endpoint ends when its application closes, for whatever reason. Fastify refuses new requests by now, with 503
 * and `Connection: close`. Calls in flight finish, streams end politely, connections go once nothing runs on them, and
 * at the deadline whatever is left is cut.
 */
export class Closing {
  #hasStarted = false
  #draining: Promise<void> | null = null
  #isCut = false
  /** Nothing is in flight, or nobody waits for it any more. */
  #isOver = false
  readonly #drainTimeoutMs: number
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
    this.#inputEnded = server.sessions.takeInput()
    this.#siblings = endpoints.get(scope.server) ?? new Set()
    endpoints.set(scope.server, this.#siblings.add(this))
    scope.addHook('onListen', async () => otherServers(scope).forEach((other) => this.#connections.watch(other)))
    // Only then does Fastify stop to listen: until then a client hears that it has to go elsewhere.
    scope.addHook('preClose', () => {
      // Fastify runs the hooks of several endpoints one after the other.
      for (const sibling of this.#siblings) void sibling.#begin()
      return this.#begin()
    })
  }

  get hasStarted(): boolean {
    return this.#hasStarted
  }

  /** Has `end` called when the application closes, for a response that would never end by itself. */
  endWith(reply: FastifyReply, end: () => void): void {
    whenClosed(reply, this.whenBegun(end))
  }

  /** Has `end` called when closing begins, which may be now. @returns Has it forgotten. */
  whenBegun(end: () => void): () => void {
    if (this.#hasStarted) end()
    this.#endings.add(end)
    return () => this.#endings.delete(end)
  }

  #begin(): Promise<void> {
    this.#draining ??= this.#drain()
    return this.#draining
  }

  async #drain(): Promise<void> {
    const servers = [...this.#connections.servers]
    this.#hasStarted = true
    // Fastify refuses what comes from now on before any hook could say so.
    for (const server of servers) server.prependListener('request', sayWhenToTryAgain)
    for (const end of this.#endings) end()
    this.#inputEnded()
    const deadline = startLongTimer(() => this.#cut(), this.#drainTimeoutMs)
    // Idle connections stay until then: what comes on one is told to go elsewhere, and not just cut off.
    await this.#answerCalls(performance.now() + this.#drainTimeoutMs)
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
    // An application that never listened is not going to stop.
    if (!this.scope.server.listening) stop()
  }

  /** @param deadline As `performance.now()` has it: close to it, or beyond, nobody lingers. */
  async #answerCalls(deadline: number): Promise<void> {
    const { inFlight } = this.server
    if (inFlight.count === 0) return
    await inFlight.idle()
    if (this.scope.server.listening && performance.now() + 2 * lingerMs < deadline) await sleep(lingerMs)
  }

  #cut(): void {
    const { inFlight } = this.server
    this.scope.log.error({ inFlight: inFlight.count }, 'closing took too long: what is left is cut')
    this.#tell()
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

  /** What the application does then, and what becomes of it, keeps nothing from being cut. */
  #tell(): void {
    try {
      this.options.onDrainTimeout()
    } catch (error) {
      logFailure(this.scope.log, error, {}, 'onDrainTimeout failed')
    }
  }
}

/** Fastify gives each hook `pluginTimeout` milliseconds; 0: any number. */
function withinHook({ initialConfig, log }: FastifyInstance, drainTimeoutMs: number): number {
  const { pluginTimeout = 0 } = initialConfig
  const most = pluginTimeout - hookMarginMs
  if (pluginTimeout === 0 || drainTimeoutMs <= most) return drainTimeoutMs
  if (drainTimeoutMs > pluginTimeout) {
    log.warn(
      { drainTimeoutMs, pluginTimeout },
      `calls get ${most} ms when this closes: Fastify's pluginTimeout allows no more`,
    )
  }
  return Math.max(0, most)
}

function sayWhenToTryAgain(_request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('retry-after', retryAfterSeconds)
}
