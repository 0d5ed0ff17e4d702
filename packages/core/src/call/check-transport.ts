import { isServedOver, type TransportName, type Viewer } from '../context/viewer.js'
import { ProtocolError } from '../errors/protocol-error.js'
import type { Call, CallPlan, GuardedPlan, Step } from './call.js'

export interface TransportLimit {
  readonly names: readonly TransportName[]
  readonly isHidden: boolean
}

export function isReachable({ transports }: GuardedPlan, transport: Viewer['transport']): boolean {
  return transports === null || isServedOver(transports.names, transport)
}

export function overItsTransports(rest: Step): Step {
  return (call) => {
    if (isReachable(call.plan, call.context.transport)) rest(call)
    else call.fail(wrongTransport(call.plan, call) ?? call.method.notFound(call))
  }
}

export function wrongTransport({ label, transports }: Pick<CallPlan, 'label' | 'transports'>, { context }: Call) {
  if (transports === null || transports.isHidden) return null
  const { names } = transports
  const message = `${label} is not served over ${context.transport ?? 'this transport'}. It needs ${names.join(' or ')}`
  return new ProtocolError('invalidParams', message, { transports: names })
}
