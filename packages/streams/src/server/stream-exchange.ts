import type { ExtendedServer, ExtendedSocket } from '@toolwright/core'
import { Peer, type TransportHooks } from '@toolwright/core/host'
import { type Answer, Exchange } from '@toolwright/core/transport'
import { type Channel, connectChannel } from './channels.js'

interface CalledTool {
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
}

interface StreamCall {
  readonly channel: Channel
  readonly onStarted: () => void
  /** @param body The JSON-RPC response; `null` without a response. */
  readonly onAnswer: (body: string | null) => void
  readonly onCrash: (error: unknown) => void
}

/**
 * The call of a tool with a stream. The call passes the same steps as a `tools/call` over any transport: access,
 * limits, arguments, hooks.
 */
export class StreamExchange extends Exchange implements TransportHooks {
  /** Notifications are off, because they would contain the id of a JSON-RPC request that the client has not sent. */
  override canNotify = false
  readonly #server: ExtendedServer
  readonly #socket: ExtendedSocket
  readonly #call: StreamCall

  constructor(server: ExtendedServer, socket: ExtendedSocket, tool: CalledTool, call: StreamCall) {
    const { principal, headers } = socket
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: paramsOf(tool, server) }
    const transport = 'websocket'
    const peer = new Peer({ send: () => undefined }, server.subscriptionQuota, '', transport)
    super({ message, headers: null, sender: { principal, transport, headers, log: server.log }, peer })
    this.hooks = this
    this.#server = server
    this.#socket = socket
    this.#call = call
  }

  override get address(): string {
    return this.#socket.address
  }

  start(): void {
    this.#server.receive(this)
  }

  cancel(reason: string): void {
    this.peer?.gone(reason)
  }

  called(call: NonNullable<Exchange['call']>): void {
    connectChannel(call.context, this.#call.channel)
  }

  started(): void {
    // From now on, the limits of streams apply, as the limits of subscriptions do to a subscription. Shutdown waits for streams.
    this.admission?.detach()
    this.call?.callerPermit?.leave()
    this.#call.onStarted()
  }

  protected sendAnswer({ body }: Answer): void {
    this.#call.onAnswer(body === null ? null : body.toString())
  }

  send(): void {}

  crash(error: unknown): void {
    this.#call.onCrash(error)
  }
}

/** Writes the call in the newest revision of the server. */
function paramsOf({ name, args }: CalledTool, { offered }: ExtendedServer): object {
  const [version] = offered.modern
  const params = { name, arguments: args }
  // Without a version, the call is a legacy call, which needs no handshake.
  if (version === undefined) return params
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  return { ...params, _meta }
}
