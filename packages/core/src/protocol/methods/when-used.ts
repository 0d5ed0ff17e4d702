import type { Principal } from '../../context/principal.js'
import { ProtocolError } from '../../errors/protocol-error.js'
import type { Method, Methods } from '../era.js'
import { DetachedCall, type RequestCall } from '../request-call.js'
import type { Revision } from '../revisions.js'

interface Used {
  isKnownTo(principal: Principal | null): boolean
  /** What is served, where each of it is refused by a rule of its own. */
  readonly all?: readonly unknown[]
}

/**
 * Methods of a kind of feature that was never served are unknown: its capability is not declared either. To a caller from
 * whom all of that kind is hidden, they are unknown as well.
 */
export function whenUsed(registries: readonly Used[], methods: Methods): Methods {
  return Object.fromEntries(
    Object.entries(methods).map(([name, method]) => [name, whenKnown(registries, name, method)]),
  )
}

/**
 * The lists of a kind of feature. Several legacy clients ask for lists that are not declared, and take an error for a broken
 * server: they get empty ones, whether nothing is served or all of it is hidden from them.
 */
export function whenListed(registries: readonly Used[], { era }: Revision, lists: Methods): Methods {
  return era === 'legacy' ? lists : whenUsed(registries, lists)
}

function whenKnown(registries: readonly Used[], name: string, method: Method): Method {
  return (call) => {
    if (registries.some((registry) => registry.isKnownTo(call.context.principal))) {
      method(call)
      return
    }
    const unknown = new ProtocolError('methodNotFound', `Method not found: ${name}`)
    if (!registries.some(({ all = [] }) => all.length > 0)) throw unknown
    runInVain(method, call, unknown)
  }
}

/** The log and the hooks hear of what is refused, also where the caller hears that there is nothing. */
function runInVain(method: Method, call: RequestCall, unknown: ProtocolError): void {
  const end = (): void => call.fail(unknown)
  const { context, cancellation } = call
  const detached = new DetachedCall(call, context, cancellation, { resolve: end, reject: end })
  detached.runMethod(method)
}
