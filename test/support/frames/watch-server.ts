// Watches every lane at once: all lanes pass exchanges to the server, and send its responses.
import { type Peer } from '@toolwright/core/host'
import { type Answer, Exchange, RunningServer } from '@toolwright/core/transport'
import { CallClient } from '../../../packages/core/src/protocol/client-requests/call-client.js'
import { frames } from './frames.js'

const watched = new WeakSet<Peer>()
// oxlint-disable-next-line typescript/unbound-method
const { receive } = RunningServer.prototype
// oxlint-disable-next-line typescript/unbound-method
const { respond } = Exchange.prototype
// oxlint-disable-next-line typescript/unbound-method
const { notify } = CallClient.prototype

/** The text of each request, as it was sent: handlers get the arguments themselves, converted and with defaults. */
const requests = new WeakMap<Exchange, string>()

RunningServer.prototype.receive = function receiveAndWatch(this: RunningServer, exchange: Exchange): void {
  watchChannel(exchange.peer)
  requests.set(exchange, textOf(exchange.message))
  receive.call(this, exchange)
}

Exchange.prototype.respond = function respondAndWatch(this: Exchange, result: Answer): void {
  const request = requests.get(this)
  // Runs before the transport gets the response, so that faults are recorded when the client continues.
  if (request !== undefined && !this.isAnswered) judgeExchange(this, request, result)
  respond.call(this, result)
}

function judgeExchange(exchange: Exchange, request: string, { body }: Answer): void {
  const { peer, call } = exchange
  watchChannel(peer)
  if (body === null) return
  const text = body.toString()
  frames.exchanged((call?.newSessionId ?? null) === null ? versionOf(exchange, peer) : agreedIn(text), request, text)
}

/** A session is created after its handshake. */
function agreedIn(body: string): string {
  return (JSON.parse(body) as { result: { protocolVersion: string } }).result.protocolVersion
}

CallClient.prototype.notify = function notifyAndWatch(this: CallClient, json: string): void {
  const { exchange } = this.call
  // In-process calls have no message, and their notifications are no frames.
  if (!exchange.isAnswered && exchange.message !== null) frames.sent(versionOf(exchange, exchange.peer), json)
  notify.call(this, json)
}

function watchChannel(peer: Peer | null): void {
  if (peer === null || watched.has(peer)) return
  watched.add(peer)
  const { channel } = peer
  const send = channel.send.bind(channel)
  channel.send = (json) => {
    frames.sent(peer.state.handshake?.revision.version ?? '2025-11-25', json)
    send(json)
  }
}

/** A message that is too deep to be serialized cannot be validated. */
function textOf(message: unknown): string {
  try {
    return JSON.stringify(message) ?? 'null'
  } catch {
    return 'null'
  }
}

/** The revision of a message: its own, the negotiated one, that of a header, or the default. */
function versionOf({ message, headers }: Exchange, peer: Peer | null): string {
  const meta = (message as { params?: { _meta?: Record<string, unknown> } } | null)?.params?._meta ?? {}
  const claimed = meta['io.modelcontextprotocol/protocolVersion']
  const named = headers?.['mcp-protocol-version']
  const assumed = headers === null ? '2025-11-25' : '2025-03-26'
  if (typeof claimed === 'string') return claimed
  return String(peer?.state.handshake?.revision.version ?? named ?? assumed)
}
