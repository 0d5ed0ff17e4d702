import type { McpClient, RawResult } from '@toolwright/client'
import {
  type InputRequest,
  inputRequired,
  isJsonObject,
  type JsonObject,
  type McpContext,
  type ProgressUpdate,
  ToolError,
} from '@toolwright/core'
import { canAnswer, pickAnswering } from './caller.js'
import { hopsKey, nextHop } from './hops.js'
import { type OwnConnection, OwnConnections } from './own-connections.js'
import { ParkedCall } from './parked-call.js'
import { followTask, tasksId } from './relay-tasks.js'
import type { Upstream } from './upstream.js'
import { type RelayedMethod, toCallerError } from './upstream-errors.js'

export interface Relayed {
  readonly method: RelayedMethod
  readonly params: JsonObject
  /** HTTP headers that repeat arguments. */
  readonly headers?: Readonly<Record<string, string>>
  /** URI of a resource on this server, for errors. */
  readonly uri?: string
}

/** State of a call between two rounds, which the client of the caller keeps in encrypted form. */
interface RoundState {
  /** State of a modern upstream. */
  readonly upstream?: unknown
  /** The questions of the previous round, as JSON. */
  readonly asked?: unknown
  /** Id of a call that waits on this node. */
  readonly parked?: unknown
}

const prefix = 'io.modelcontextprotocol/'
const capabilitiesKey = `${prefix}clientCapabilities`
const logLevelKey = `${prefix}logLevel`

/** Maximum number of rounds without a question, in which an upstream only delays its answer. */
const maxDelays = 10
const delayMs = 250

/** Sends requests of callers to an upstream, and the upstream's questions to the caller of the request. */
export class Relay {
  readonly #own: OwnConnections
  readonly #parked = new Map<string, ParkedCall>()

  constructor(private readonly upstream: Upstream) {
    this.#own = new OwnConnections(upstream)
  }

  /** Number of calls that wait for an answer of their caller. */
  get questions(): number {
    return this.#parked.size
  }

  /** @throws ProtocolError, ToolError or InputRequired. */
  async send(relayed: Relayed, context: McpContext): Promise<RawResult> {
    const hops = nextHop(context.meta)
    try {
      const state = asks(relayed, context) ? readState(context.requestState) : {}
      if (state.parked !== undefined) return await this.#find(state.parked).continue(context)
      const shared = await this.upstream.client(context.principal, context.signal)
      try {
        return relayed.method !== 'completion/complete' && this.#needsOwn(shared.client, context)
          ? await this.#sendAlone(relayed, context, hops, state, shared.client.era)
          : await this.#sendRounds(shared.client, relayed, context, hops, state)
      } finally {
        shared.release()
      }
    } catch (error) {
      this.upstream.failed(error)
      if (context.signal.aborted) throw context.signal.reason
      throw toCallerError(error, this.upstream.name, relayed.method, relayed.uri)
    }
  }

  async close(): Promise<void> {
    for (const call of this.#parked.values()) call.cancel(new Error('The server closes.'))
    await this.#own.close()
  }

  #find(id: unknown): ParkedCall {
    const call = this.#parked.get(String(id))
    if (call !== undefined) return call
    throw new ToolError('The answer came too late, or reached another node of this server. Call the tool again.')
  }

  /** Whether the call needs its own connection: because the upstream could ask on a connection, or log. */
  #needsOwn({ era, capabilities }: McpClient, { clientCapabilities, logLevel }: McpContext): boolean {
    const { questions, url, logs = url !== undefined } = this.upstream.options
    if (era === 'legacy' && questions && canAnswer(clientCapabilities)) return true
    return logs && logLevel !== null && capabilities.logging !== undefined
  }

  async #sendAlone(
    relayed: Relayed,
    context: McpContext,
    hops: number,
    state: RoundState,
    era: McpClient['era'],
  ): Promise<RawResult> {
    const own = await this.#own.take(context, era)
    if (own.client.era === 'legacy') return this.#sendParkable(own, relayed, context, hops)
    own.user = { context, ask: async () => Promise.reject(new Error('Modern servers do not ask on a connection.')) }
    let isReusable = false
    try {
      const result = await this.#sendRounds(own.client, relayed, context, hops, state)
      isReusable = true
      return result
    } catch (error) {
      isReusable = !context.signal.aborted && error instanceof Error && error.name === 'InputRequired'
      throw error
    } finally {
      this.#own.release(own, isReusable)
    }
  }

  /** Sends a call to a legacy upstream that can ask. The call can continue after the handler has ended with a question. */
  #sendParkable(own: OwnConnection, relayed: Relayed, context: McpContext, hops: number): Promise<RawResult> {
    const { questionTimeoutMs } = this.upstream.options
    const call = new ParkedCall(context, questionTimeoutMs, ({ id }, isParked) => {
      if (isParked) this.#parked.set(id, call)
      else this.#parked.delete(id)
    })
    own.user = call
    const send = async (): Promise<RawResult> => {
      let isReusable = false
      try {
        const { method, params } = this.#toUpstream(relayed, context, hops, own.client)
        const result = await own.client.request(method, params, {
          // The timeout does not run while the caller answers: each run of the handler has its own.
          timeoutMs: Infinity,
          signal: call.signal,
          ...(wantsProgress(context) ? { onProgress: (progress) => reportProgress(call, progress) } : {}),
        })
        isReusable = true
        return result
      } finally {
        this.#own.release(own, isReusable)
      }
    }
    return call.start(send, this.upstream.options.timeoutMs)
  }

  /** Sends a request, and passes on questions of a modern upstream. @throws InputRequired */
  async #sendRounds(
    client: McpClient,
    relayed: Relayed,
    context: McpContext,
    hops: number,
    state: RoundState,
  ): Promise<RawResult> {
    const { method, params } = this.#toUpstream(relayed, context, hops, client)
    let round: JsonObject = asks(relayed, context) ? answers(state.upstream, context) : {}
    for (let delays = 0; ; delays++) {
      // oxlint-disable-next-line no-await-in-loop -- one round after the other
      const result = await client.request(method, { ...params, ...round }, this.#limits(relayed, context))
      const { resultType, inputRequests, requestState } = result
      if (resultType === 'task') return followTask(this.upstream, client, result, context, params._meta)
      if (resultType !== 'input_required') return result
      const questions = isJsonObject(inputRequests) ? inputRequests : {}
      if (Object.keys(questions).length > 0) {
        const asked = JSON.stringify(questions)
        // A modern upstream repeats a question whose answer is not valid. A legacy client would give the same answer for ever.
        if (state.asked === asked && context.sessionId !== null)
          throw new ToolError(`The server '${this.upstream.name}' does not accept the answer of the client.`)
        return inputRequired({
          inputRequests: questions as Readonly<Record<string, InputRequest>>,
          requestState: { upstream: requestState ?? null, asked },
        })
      }
      if (delays === maxDelays) throw new ToolError(`The server '${this.upstream.name}' delays its answer too often.`)
      round = requestState === undefined ? {} : { requestState }
      // oxlint-disable-next-line no-await-in-loop
      await new Promise((resolve) => setTimeout(resolve, delayMs))
      context.signal.throwIfAborted()
    }
  }

  #limits({ headers }: Relayed, context: McpContext) {
    return {
      timeoutMs: this.upstream.options.timeoutMs,
      signal: context.signal,
      ...(headers === undefined ? {} : { headers }),
      ...(wantsProgress(context) ? { onProgress: context.progress.bind(context) } : {}),
    }
  }

  /** Builds the request for the upstream. The `_meta` of the caller is passed on, except for members about the connection. */
  #toUpstream({ method, params }: Relayed, context: McpContext, hops: number, { era, capabilities }: McpClient) {
    const { meta, clientCapabilities, logLevel } = context
    const _meta: Record<string, unknown> = { [hopsKey]: hops }
    for (const [name, value] of Object.entries(meta))
      if (name !== 'progressToken' && name !== hopsKey && !name.startsWith(prefix)) _meta[name] = value
    if (era === 'modern') {
      _meta[capabilitiesKey] = {
        ...(this.upstream.options.questions ? pickAnswering(clientCapabilities) : {}),
        ...(hasTasks(clientCapabilities) ? { extensions: { [tasksId]: {} } } : {}),
      }
      if (capabilities.logging !== undefined && logLevel !== null) _meta[logLevelKey] = logLevel
    }
    return { method, params: { ...params, _meta } }
  }
}

function reportProgress(call: ParkedCall, progress: ProgressUpdate): void {
  call.restartTimeout()
  call.context.progress(progress)
}

function wantsProgress({ meta }: McpContext): boolean {
  return meta['progressToken'] !== undefined
}

function hasTasks({ extensions }: JsonObject): boolean {
  return isJsonObject(extensions) && isJsonObject(extensions[tasksId])
}

function readState(state: unknown): RoundState {
  return isJsonObject(state) ? state : {}
}

/** Whether the upstream can ask during the request: completions cannot ask. */
function asks({ method }: Relayed, { clientCapabilities }: McpContext): boolean {
  return method !== 'completion/complete' && canAnswer(clientCapabilities)
}

/** Returns the members that answer a modern upstream. A client can answer before the upstream has asked, and has no state then. */
function answers(state: unknown, { inputResponses }: McpContext): JsonObject {
  if (state === undefined && Object.keys(inputResponses).length === 0) return {}
  return { inputResponses, ...(typeof state === 'string' ? { requestState: state } : {}) }
}
